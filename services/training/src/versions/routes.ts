import type { Identity } from '@ratchet/contracts/identity'
import {
  AdoptModelVersion,
  adoptModelVersion,
  archiveModelVersion,
  deleteTrainedModel,
  rejectModelVersion,
} from '@ratchet/contracts/model-version-changes'
import { getModelVersion, getVersionLineage, listModelVersions } from '@ratchet/contracts/model-versions'
import { pageReply } from '@ratchet/contracts/page'
import { publicId } from '@ratchet/contracts/public-id'
import { mount, mountRaw } from '@ratchet/service-kit/http/mount'
import { mountJson, readJson } from '@ratchet/service-kit/http/mount-json'
import { invalidRequest, ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Router } from 'express'
import { answeringFlatly } from '../bodies/flat-routes.ts'
import { readSpelled, type SpelledBody } from '../bodies/spelled-body.ts'
import { retirementWarnings } from '../trainable-models/trainable-model.ts'
import { type AdoptServedDeps, adoptWhereServed } from './adopt-where-served.ts'
import { type DownloadDeps, downloadRoute } from './download-routes.ts'
import { type FactsDeps, factsRoutes } from './facts-routes.ts'
import { type ImportDeps, importRoute } from './import-routes.ts'
import { lineageOf } from './lineage.ts'
import type { StoredVersion } from './model-version.ts'
import { type ReadEvidenceDeps, readEvidence } from './read-evidence.ts'
import { type ReadTracesDeps, readTraces } from './read-traces.ts'
import { requireVersion } from './require-version.ts'
import { serveRoutes } from './serve-routes.ts'
import { versionReply } from './version-reply.ts'
import type { VersionStore, VersionUsers } from './version-store.ts'

export interface VersionRouteDeps
  extends Omit<AdoptServedDeps, 'versions'>,
    Omit<DownloadDeps, 'artifacts'>,
    FactsDeps,
    Omit<ImportDeps, 'artifacts'>,
    ReadEvidenceDeps,
    ReadTracesDeps {
  readonly versions: VersionStore
  readonly artifacts: DownloadDeps['artifacts'] & ImportDeps['artifacts']
  readonly newId: () => string
  readonly now: () => Date
}

export function versionRoutes(router: Router, deps: VersionRouteDeps): void {
  const { versions } = deps
  mount(router, listModelVersions, async ({ query, identity: { workspaceId } }) => {
    const { status, base_model: baseModel, produced_by: producedBy, limit, offset } = query
    const { total, versions: page } = await versions.list({ workspaceId, status, baseModel, producedBy, limit, offset })
    return pageReply(page.map(versionReply), total, { limit, offset })
  })
  // Before the routes with an id.
  importRoute(router, deps)
  mount(router, getModelVersion, async ({ params, identity }) => {
    const version = await requireVersion(versions, identity, params.id)
    const [evidence, warnings] = await Promise.all([
      readEvidence(deps, identity, version),
      warningsOf(deps, identity, version),
    ])
    return { ...versionReply(version), ...evidence, warnings: [...warnings] }
  })
  mount(router, getVersionLineage, async ({ params, identity }) =>
    lineageOf(await readTraces(deps, identity, await requireVersion(versions, identity, params.id))),
  )
  downloadRoute(router, deps)
  changeRoutes(router, deps)
  factsRoutes(router, deps)
  serveRoutes(router, deps)
}

function changeRoutes(router: Router, deps: VersionRouteDeps): void {
  const { versions, newId } = deps
  mountRaw(router, adoptModelVersion, async ({ params, identity, request }, response) => {
    const version = await requireVersion(versions, identity, params.id)
    await answeringFlatly(response, async () => {
      const sent = await readJson(request, response, adoptModelVersion.maxJsonBytes)
      const { request: body, asSpelled } = readAdoption(sent)
      const alias = await adoptWhereServed(deps, { version, request: body, identity }).catch((error: unknown) => {
        throw asSpelled(error)
      })
      const adopted = await requireVersion(versions, identity, params.id)
      response.json(adoptModelVersion.reply.parse({ model_version: versionReply(adopted), alias }))
    })
  })
  mountJson(router, rejectModelVersion, async ({ params, body, identity }) => {
    const version = await requireVersion(versions, identity, params.id)
    if (version.status === 'adopted') {
      throw inUse(version, { aliases: version.aliases.map(({ name }) => name), jobIds: [], endpoints: [] })
    }
    const rejection = { userId: identity.userId, reason: body.reason, noticeId: newId() }
    if (!(await versions.reject(version, rejection))) {
      throw new ServiceError('conflict', `The version is already ${version.status}.`)
    }
    return { reply: versionReply(await requireVersion(versions, identity, params.id)) }
  })
  mount(router, archiveModelVersion, async ({ params, identity }) => {
    await archive(versions, await requireVersion(versions, identity, params.id))
    return versionReply(await requireVersion(versions, identity, params.id))
  })
  mount(router, deleteTrainedModel, async ({ params: { id }, identity: { workspaceId } }) => {
    const version = await versions.named({ workspaceId, name: id })
    if (version === null || version.isArchived) {
      throw new ServiceError('model_not_found', `There is no model version ${JSON.stringify(id.slice(0, 200))}.`, {
        param: 'id',
      })
    }
    await archive(versions, version)
    return { id, object: 'model' as const, deleted: true as const }
  })
}

function readAdoption(sent: unknown): SpelledBody<typeof AdoptModelVersion> {
  return readSpelled(sent, {
    schema: AdoptModelVersion,
    opaque: new Set(),
    check({ force, reason }) {
      if (force && reason == null) throw invalidRequest('reason', '`reason` is required with `force`.')
    },
  })
}

/** A repetition changes nothing. */
async function archive(versions: VersionStore, version: StoredVersion): Promise<void> {
  const users = await versions.users(version)
  if (users.aliases.length + users.jobIds.length + users.endpoints.length > 0) throw inUse(version, users)
  await versions.archive(version)
}

function inUse({ name }: StoredVersion, { aliases, jobIds, endpoints }: VersionUsers): ServiceError {
  const jobs = jobIds.map((id) => publicId('fineTuningJob', id))
  const needed = [
    ...aliases.map((alias) => `the alias ${alias}`),
    ...jobs.map((id) => `the job ${id}`),
    ...endpoints.map((endpoint) => `the endpoint ${endpoint}`),
  ]
  const message = `${name} is needed by ${needed.slice(0, 3).join(', ')}.`
  return new ServiceError('version_in_use', message, {
    details: { aliases: [...aliases], job_ids: jobs, endpoints: [...endpoints] },
  })
}

/** None while the catalog cannot be read: a version is shown all the same. */
async function warningsOf(
  { models }: Pick<VersionRouteDeps, 'models'>,
  identity: Identity,
  { baseModel }: Pick<StoredVersion, 'baseModel'>,
): Promise<readonly string[]> {
  const found = await models.list(identity).catch((error: unknown) => {
    if (error instanceof ServiceError) return []
    throw error
  })
  return found.filter(({ id }) => id === baseModel).flatMap(retirementWarnings)
}
