"""The content security policy of the pages."""


def build_content_security_policy(*, allows_forms: bool = False) -> str:
    """Everything comes from this server. Only pages with forms of our own may send one, to this server."""
    return "; ".join(
        (
            "default-src 'self'",
            "media-src 'self'",
            "img-src 'self'",
            "object-src 'none'",
            "base-uri 'none'",
            "form-action 'self'" if allows_forms else "form-action 'none'",
            "frame-ancestors 'none'",
        )
    )
