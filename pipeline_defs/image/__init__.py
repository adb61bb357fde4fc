"""The image pipeline: pictures made from pictures by a template or a ComfyUI graph."""
