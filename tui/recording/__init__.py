"""Response bytes with their arrival times: written, read, replayed, re-chunked and cut."""
