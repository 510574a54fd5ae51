# syntax=docker.io/docker/dockerfile:1
# The Python trainers, for launch profiles of Kubernetes and for machines with a GPU:
#   docker build -f infra/docker/trainers.Dockerfile -t registry.invalid/ratchet/trainers .
# Weights are not in the image: mount them where HF_HOME points.
ARG PYTHON_VERSION=3.12
ARG UV_VERSION=0.13.9

FROM ghcr.io/astral-sh/uv:${UV_VERSION} AS uv

FROM docker.io/library/python:${PYTHON_VERSION}-slim-bookworm AS build
COPY --from=uv /uv /usr/local/bin/uv
ENV UV_COMPILE_BYTECODE=1 UV_LINK_MODE=copy UV_PYTHON_DOWNLOADS=never UV_PROJECT_ENVIRONMENT=/opt/trainers
WORKDIR /app
COPY trainers/pyproject.toml trainers/uv.lock trainers/README.md ./
RUN uv sync --frozen --no-dev --no-install-project
COPY trainers/src src
RUN uv sync --frozen --no-dev --no-editable

FROM docker.io/library/python:${PYTHON_VERSION}-slim-bookworm AS python
COPY --from=build /opt/trainers /opt/trainers
ENV PATH=/opt/trainers/bin:$PATH PYTHONUNBUFFERED=1

# The worker of the fleet with the trainers beside it, for docker-compose.training.yml. `training` is the image of that service,
# whose Node is made for the same Debian.
FROM python AS worker
COPY --from=training /nodejs /nodejs
COPY --from=training /app /app
COPY --from=training --chown=65532:65532 /var/lib/ratchet /var/lib/ratchet
# A volume that is mounted here belongs to who reads and writes it.
RUN install -d -o 65532 -g 65532 /adapters
WORKDIR /app
ENV NODE_ENV=production
USER 65532:65532
STOPSIGNAL SIGTERM
ENTRYPOINT ["/nodejs/bin/node"]

FROM python
USER 65532:65532
# SIGTERM makes a trainer save a checkpoint, then it exits.
STOPSIGNAL SIGTERM
CMD ["python", "-m", "ratchet_trainers"]
