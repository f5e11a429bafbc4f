# The command `svk` as an image: docker build -t svk . && docker run --rm svk version
# Runs as nobody, writes nothing: it may have a read-only root. Its bundle has 4 MB.
ARG BUILD_IMAGE=public.ecr.aws/docker/library/node:24-bookworm-slim
ARG RUNTIME_IMAGE=public.ecr.aws/docker/library/node:24-alpine

FROM ${BUILD_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json ./
COPY scripts/build-cli.ts scripts/
COPY src src
RUN node scripts/build-cli.ts

FROM ${RUNTIME_IMAGE}
COPY --from=build /build/.build/svk /svk
ENV NODE_ENV=production
# Of an image that has no such user: ids need no entry in /etc/passwd.
USER 65532:65532
WORKDIR /svk
# The kubelet API of the first node; figures, health and readiness.
EXPOSE 10250 10255
# As the first process of its namespace Node takes SIGTERM because svk listens for it.
ENTRYPOINT ["node", "/svk/svk.mjs"]
