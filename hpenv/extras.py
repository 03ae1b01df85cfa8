"""What is installed only on wish: which extra of the distribution brings a package."""

EXTRA_OF = {
    "torch": "train",
    "safetensors": "train",
    "tensorboard": "train",
    "rich": "play",
    "tyro": "play",
    "scipy": "play",
    "PIL": "pictures",
    "resvg_py": "pictures",
    "matplotlib": "notebooks",
    "nbclient": "notebooks",
    "nbformat": "notebooks",
    "traitlets": "notebooks",
    "jinja2": "lab",
    "markupsafe": "lab",
    "pyarrow": "lab",
    "ray": "cluster",
}


def how_to_install(package: str | None) -> str:
    """Where a package that cannot be imported comes from, as the end of a sentence."""
    name = (package or "a package").partition(".")[0]
    wanted = f"'hpenv[{EXTRA_OF[name]}]'" if name in EXTRA_OF else name
    return f"{name}, which is not installed: pip install {wanted}"
