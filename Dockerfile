# Postern's image: docs/image.md. Build it with `npm run image`, or `docker build -t postern .`
#
# Needs nothing of BuildKit, so that every Docker, Podman and Kaniko builds it. The base images are arguments: closed
# networks put their own in. RUN_IMAGE must have Node as its entry point; it needs neither a shell nor npm.
ARG BUILD_IMAGE=node:24-trixie-slim
ARG RUN_IMAGE=gcr.io/distroless/nodejs24-debian13:nonroot

# What runs besides our own code. Dependencies bring no native parts, so none of their scripts is run.
FROM ${BUILD_IMAGE} AS dependencies
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts --no-update-notifier
# Nobody compiles against them or debugs them here; licence files stay.
RUN find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete \
  && rm node_modules/.package-lock.json
# Times that do not differ from build to build: SOURCE_DATE_EPOCH, seconds since 1970.
ARG SOURCE_DATE_EPOCH=0
RUN find node_modules -exec touch --no-dereference --date="@${SOURCE_DATE_EPOCH}" {} +

FROM ${BUILD_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-update-notifier
COPY buf.yaml buf.gen.yaml tsconfig.json ./
COPY proto proto
COPY scripts/clean-dist.mjs scripts/command.mjs scripts/copy-assets.mjs scripts/link-command.mjs scripts/sbom.mjs \
  scripts/write-help.mjs scripts/
COPY scripts/sbom scripts/sbom
COPY services services
COPY src src
RUN npm run build
RUN node scripts/sbom.mjs --output sbom.cdx.json
COPY CHANGELOG.md LICENSE README.md envoy.yaml ./
COPY deploy deploy
COPY examples examples
# The folder for a volume that Postern may write to: it gets this owner.
RUN mkdir state
ARG SOURCE_DATE_EPOCH=0
RUN find . -path ./node_modules -prune -o -exec touch --no-dereference --date="@${SOURCE_DATE_EPOCH}" {} +

FROM ${RUN_IMAGE}
# What changes least comes first: the layer of dependencies is the same in many versions.
COPY --from=dependencies /build/node_modules /app/node_modules
COPY --from=build --chown=65532:65532 /build/state /var/lib/postern
# The rest is what the npm package holds, "files" of package.json, and the bill of materials.
COPY --from=build /build/CHANGELOG.md /build/LICENSE /build/README.md /build/envoy.yaml /build/package.json /build/sbom.cdx.json /app/
COPY --from=build /build/deploy /app/deploy
COPY --from=build /build/examples /app/examples
COPY --from=build /build/proto /app/proto
COPY --from=build /build/services /app/services
COPY --from=build /build/dist /app/dist
WORKDIR /app
USER 65532:65532

# Node's code in huge pages saves CPU time (docs/sizing.md). In a container, loopback is only the container.
ENV NODE_ENV=production \
    NODE_OPTIONS=--use-largepages=silent \
    POSTERN_GRPC_ADDRESS=0.0.0.0:9001 \
    POSTERN_HTTP_ADDRESS=0.0.0.0:9002 \
    POSTERN_ADMIN_ADDRESS=0.0.0.0:9003
EXPOSE 9001 9002 9003

# No HEALTHCHECK: it would start another Node every few seconds, and without a shell only by a path that depends on
# RUN_IMAGE. Ask from outside: gRPC health on 9001, /livez and /readyz on 9003.

# The entry point is Node, from RUN_IMAGE: other commands are `dist/main.js doctor` and so on.
CMD ["dist/main.js", "serve"]

ARG RUN_IMAGE
ARG VERSION=unknown
ARG REVISION=unknown
ARG CREATED=1970-01-01T00:00:00Z
LABEL org.opencontainers.image.title="Postern" \
      org.opencontainers.image.description="Authentication gateway for partner APIs behind Envoy: an external authorization service" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.base.name="${RUN_IMAGE}" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.created="${CREATED}"
