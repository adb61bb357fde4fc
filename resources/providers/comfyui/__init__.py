"""The vendor ComfyUI: servers that render images."""
