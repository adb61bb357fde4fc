"""Read the members of a repository from a commit, a work tree or a tarball, within limits."""
