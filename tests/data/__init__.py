"""Data folders that earlier versions wrote; see README.md."""
