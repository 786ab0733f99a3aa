"""Reads a file in the ways that Python has: raw, positioned, vectored, buffered, backwards."""

import hashlib
import os
import sys

path = sys.argv[1]
size = os.path.getsize(path)
digest = hashlib.md5()
fd = os.open(path, os.O_RDONLY)
for at in range(size - 3000, 0, -3000):
    digest.update(os.pread(fd, 3000, at))
for at in range(0, size - 40000, 40000):
    parts = [bytearray(100), bytearray(5000)]
    print(os.preadv(fd, parts, at))
    digest.update(parts[1])
os.lseek(fd, 777, os.SEEK_SET)
parts = [bytearray(10), bytearray(4096)]
print(os.readv(fd, parts), os.read(fd, 12345)[:40])
os.close(fd)
with open(path, "rb") as f:
    f.seek(-5000, os.SEEK_END)
    digest.update(f.read())
    f.seek(100)
    digest.update(f.readline())
    print(f.peek(10)[:10], f.tell())
with open(path, "rb", buffering=0) as f:
    while block := f.read(65536):
        digest.update(block)
print(digest.hexdigest())
