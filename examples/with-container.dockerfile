# A program in a container that reads ahead: build preread in one stage, take two files of it
# into the image. Both stages must have the same C library, here Debian 12's.
#
#	docker build -f examples/with-container.dockerfile -t log-reader .
#	docker run --rm -v /var/log:/data:ro log-reader /data/syslog
FROM debian:12 AS build
COPY . /src
RUN cd /src && apt-get update && \
	apt-get install -y --no-install-recommends gcc make libc6-dev uthash-dev && \
	make && make install DESTDIR=/out PREFIX=/usr

FROM debian:12
COPY --from=build /out/usr/ /usr/
ENTRYPOINT ["preread", "--", "tac"]
