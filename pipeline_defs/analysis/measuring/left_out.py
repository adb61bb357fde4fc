"""Which files GitHub leaves out of its statistics by their names: others' code and documentation. Pure."""

import re

_FOLDERS_OF_OTHERS = r"""
    cache dist node_modules bower_components Godeps/_workspace testdata vendors? [Vv]+endor [Ee]xtern(?:als?)?
    \.yarn/(?:releases|plugins|sdks|versions|unplugged) bootstrap-datepicker ace-builds MathJax Carthage Sparkle
    env \.vscode \.github \.obsidian \.teamcity \.google_apis gradle/wrapper \.mvn/wrapper admin_media puphpet
    docs?/_?(?:build|themes?|templates?|static) [Tt]ests?/fixtures [Ss]pecs?/fixtures inst/extdata xvba_modules
    (?:Crashlytics|Fabric|BuddyBuildSDK)\.framework extjs/(?:\.sencha|docs|builds|cmd|examples|locale|packages)
    extjs/(?:plugins|resources|src|welcome) tiny_mce/(?:langs|plugins|themes|utils)
    [Cc]ode[Mm]irror/(?:\d+\.\d+/)?(?:lib|mode|theme|addon|keymap|demo)
"""
_TOP_FOLDERS_OF_OTHERS = r"[Dd]ependencies deps debian"
_NAMES_OF_OTHERS = r"""
    configure config\.(?:guess|sub) aclocal\.m4 libtool\.m4 lt(?:options|sugar|version|~obsolete)\.m4 cpplint\.py
    dotnet-install\.(?:ps1|sh) erlang\.mk \.indent\.pro _esy run\.n waf fabfile\.py \.osx
    \.git(?:attributes|ignore|modules) gradlew(?:\.bat)? mvnw(?:\.cmd)? activator(?:\.bat)? Vagrantfile Jenkinsfile
    \.gitpod\.Dockerfile proguard(?:-rules)?\.pro \.sublime-(?:project|workspace) \.[Dd][Ss]_[Ss]tore
    bootstrap[^/.]*(?:\..*)?\.(?:js|css|less|scss|styl) custom\.bootstrap\S*(?:js|css|less|scss|styl)
    font-?awesome\.(?:css|less|scss|styl) foundation(?:\..*)?\.(?:js|css|less|scss|styl)
    (?:normalize|skeleton|animate|materialize)\.(?:css|less|scss|styl) materialize\.js bulma\.(?:css|sass|scss)
    jquery[^.]*\.js jquery-\d\.\d+(?:\.\d+)?\.js jquery-ui(?:-\d\.\d+(?:\.\d+)?)?(?:\.\w+)?\.(?:js|css)
    jquery\.(?:ui|effects)\.[^.]*\.js jquery\.(?:fancybox\.(?:js|css)|dataTables\.js|fn\.gantt\.js)
    jquery\.fileupload(?:-\w+)?\.js jquery[^.]*\.(?:validate(?:\.unobtrusive)?|unobtrusive-ajax)\.js
    (?:prototype.*|effects|controls|dragdrop|dojo|MochiKit|ckeditor|Chart|html5shiv|bootbox|fuelux|pdf\.worker)\.js
    mootools[^.]*\d+\.\d+.\d+[^.]*\.js (?:yahoo-|yui|tiny_mce|angular|cordova)[^.]*\.js fontello.*?\.css
    sh(?:Brush[^.]*|Core|Legacy)\.js d3(?:\.v\d+)?[^.]*\.js react(?:-[^.]*)?\.js octicons\.css
    modernizr-\d\.\d+(?:\.\d+)?\.js modernizr\.custom\.\d+\.js knockout-(?:\d+\.){3}(?:debug\.)?js
    slick\.\w+.js leaflet\.draw-src\.js leaflet\.draw\.css cordova-\d\.\d(?:\.\d)?\.js sprockets-octicons\.scss
"""
_PATHS_OF_OTHERS = (
    r"[.-]min\.(?:js|css)$",
    r"import\.(?:css|less|scss|styl)$",
    r"(?:3rd|[Tt]hird)[-_]?[Pp]arty/",
    r"\.d\.ts$",
    r"-vsdoc\.js$|\.intellisense\.js$",
    r"\.xctemplate/|\.imageset/",
    r"(?:^|/)(?:font-?awesome|[Bb]ourbon)/.*\.(?:css|less|scss|styl)$",
    r"(?:^|/)select2/.*\.(?:css|scss|js)$",
    r"(?:^|/)(?:flow-typed|extjs)/.*\.js$",
    r"(?:^|/)[Pp]ackages/.+\.\d+/",
    r"(?:^|/)Realm(?:Swift)?\.framework",
)
_DOCUMENTATION = (
    r"^(?:[Dd]ocs?|[Mm]an|[Ee]xamples|[Dd]emos?|[Ss]amples?)/",
    r"(?:^|/)(?:[Dd]ocumentation|[Gg]roovydoc|[Jj]avadoc|inst/doc)/",
    r"(?:^|/)CITATION(?:\.cff|S?(?:\.(?:bib|md))?)$",
    r"(?:^|/)(?:CHANGE(?:S|LOG)?|CONTRIBUTING|COPYING|INSTALL|LICEN[CS]E|[Ll]icen[cs]e|README|[Rr]eadme)(?:\.|$)",
)


def _any_of(words: str) -> str:
    return "|".join(words.split())


_VENDORED_PATH = re.compile(
    "|".join(
        [
            f"(?:^|/)(?:{_any_of(_FOLDERS_OF_OTHERS)})/",
            f"^(?:{_any_of(_TOP_FOLDERS_OF_OTHERS)})/",
            f"(?:^|/)(?:{_any_of(_NAMES_OF_OTHERS)})$",
            *_PATHS_OF_OTHERS,
        ]
    )
)
_DOCUMENTATION_PATH = re.compile("|".join(_DOCUMENTATION))


def is_vendored(path: str) -> bool:
    """Whether others wrote the file, by the usual names of folders and files."""
    return _VENDORED_PATH.search(path) is not None


def is_documentation(path: str) -> bool:
    """Whether the file documents or shows the project, by the usual names."""
    return _DOCUMENTATION_PATH.search(path) is not None
