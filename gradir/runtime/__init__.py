"""Programs run: sessions and engines, host arrays, results as text, checks of gradients."""
