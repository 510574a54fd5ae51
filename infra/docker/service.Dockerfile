# syntax=docker.io/docker/dockerfile:1
# One recipe for every process of the fleet. SERVICE is the folder of the package to run:
#   docker build -f infra/docker/service.Dockerfile --build-arg SERVICE=services/edge -t registry.invalid/ratchet/edge .
# The container runs its src/main.ts; a worker is the same image with another command.
ARG NODE_VERSION=24.21.0
# Debian's patches change what the tags mean. A release pins both images: --build-arg RUNTIME_IMAGE=…@sha256:…
ARG NODE_IMAGE=docker.io/library/node:${NODE_VERSION}-bookworm-slim
ARG RUNTIME_IMAGE=gcr.io/distroless/nodejs24-debian12:nonroot

FROM ${NODE_IMAGE} AS workspace
ARG PNPM_VERSION=12.21.0
RUN npm install --global pnpm@${PNPM_VERSION}
WORKDIR /app
COPY pnpm-lock.yaml pnpm-workspace.yaml package.json ./
RUN pnpm fetch
COPY packages packages
COPY services services
COPY infra/package.json infra/
COPY test-e2e/package.json test-e2e/
COPY bench/package.json bench/

FROM workspace AS client
# Generating the client needs no engine, but downloads one unless a variable names one.
ENV PRISMA_SCHEMA_ENGINE_BINARY=/bin/true
RUN pnpm install --frozen-lockfile --offline --filter @ratchet/db \
 && pnpm --filter @ratchet/db exec prisma generate

# The pages of the dashboard, which other images do not have.
FROM workspace AS pages
ARG SERVICE
RUN mkdir /pages \
 && if [ -e "${SERVICE}/web/package.json" ]; then \
      pnpm install --frozen-lockfile --offline --filter "{./${SERVICE}/web}..." \
      && cd "${SERVICE}/web" && node node_modules/vite/bin/vite.js build --outDir /pages/dist --emptyOutDir; \
    fi

FROM workspace AS build
ARG SERVICE
RUN test -f "${SERVICE}/package.json" || { echo "SERVICE must be the folder of a package, such as services/edge"; exit 1; }
# Without packages of this repository that only tests use, and what those depend on. The two files hold the time of the
# installation, and nothing reads them in an image.
RUN pnpm install --frozen-lockfile --offline --prod --filter-prod "{./${SERVICE}}..." \
 && rm -f node_modules/.modules.yaml node_modules/.pnpm-workspace-state-v1.json
COPY --from=client /app/packages/db/src/generated packages/db/src/generated
# Their sources are not needed where they are built.
COPY --from=pages /pages /pages
RUN if [ -e /pages/dist ]; then rm -rf "${SERVICE}/web" && mkdir "${SERVICE}/web" && cp -a /pages/dist "${SERVICE}/web/dist"; fi
# Node strips types only outside node_modules, so packages stay in their folders. Other services are not copied.
RUN mkdir -p /out/spill /out/artifacts /out/app/$(dirname "${SERVICE}") \
 && cp -a package.json node_modules packages /out/app/ \
 && if [ ! -e "/out/app/${SERVICE}" ]; then cp -a "${SERVICE}" "/out/app/${SERVICE}"; fi \
 && ln -s "${SERVICE}" /out/app/service

FROM ${RUNTIME_IMAGE} AS runtime

# What the image contains, written by the image's own Node.
FROM workspace AS bom
ARG SERVICE
ARG RUNTIME_IMAGE
COPY infra infra
RUN pnpm install --frozen-lockfile --offline --prod --filter-prod "@ratchet/infra..."
COPY --from=client /app/packages/db/src/generated packages/db/src/generated
COPY --from=runtime /nodejs /nodejs
RUN RUNTIME_IMAGE="${RUNTIME_IMAGE}" /nodejs/bin/node infra/src/commands/sbom.ts /out "${SERVICE}" \
 && mv /out/*.cdx.json /out/sbom.cdx.json

FROM runtime
WORKDIR /app
ENV NODE_ENV=production
# The C library gives memory back that a process used for a time, such as for large answers.
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=4194304
COPY --from=build /out/app /app
COPY --from=bom /out/sbom.cdx.json /app/sbom.cdx.json
COPY --from=build --chown=65532:65532 /out/spill /var/lib/ratchet/spill
COPY --from=build --chown=65532:65532 /out/artifacts /var/lib/ratchet/artifacts
USER 65532:65532
# SIGTERM makes the process drain: it finishes running requests, then exits.
STOPSIGNAL SIGTERM
CMD ["--max-semi-space-size=8", "--import", "./packages/telemetry/src/register.ts", "./service/src/main.ts"]
