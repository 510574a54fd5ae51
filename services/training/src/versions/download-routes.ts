import { pipeline } from 'node:stream/promises'
import { downloadModelVersion } from '@ratchet/contracts/model-versions'
import { mountRaw } from '@ratchet/service-kit/http/mount'
import { notFound } from '@ratchet/service-kit/http/service-error'
import type { Response, Router } from 'express'
import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import { adapterWeights } from '../attempts/check-manifest.ts'
import { modelCard } from './model-card.ts'
import type { StoredVersion } from './model-version.ts'
import { requireVersion } from './require-version.ts'
import type { VersionStore } from './version-store.ts'

export interface DownloadDeps {
  readonly versions: Pick<VersionStore, 'get'>
  readonly artifacts: Pick<ArtifactStore, 'get' | 'signDownload'>
  readonly now: () => Date
}

/** How long a signed address is good, milliseconds. */
const downloadMs = 900_000
const cardName = 'README.md'

export function downloadRoute(router: Router, { versions, artifacts, now }: DownloadDeps): void {
  mountRaw(router, downloadModelVersion, async ({ params, query, identity }, response) => {
    const version = await requireVersion(versions, identity, params.id)
    if (query.file === cardName) return sendCard(response, version)
    const { name, sha256, bytes } = requireFile(version, query.file)
    const { url } = await artifacts.signDownload({ sha256, bytes }, new Date(now().getTime() + downloadMs))
    // The address in a directory is one that trainers reach, and clients do not.
    if (URL.canParse(url)) return response.redirect(302, url)
    const content = await artifacts.get(sha256)
    response.status(200).set({
      'content-type': 'application/octet-stream',
      'content-length': String(bytes),
      'content-disposition': `attachment; filename="${name}"`,
    })
    // A client that disconnects needs no answer.
    await pipeline(content, response).catch(() => response.destroy())
  })
}

function sendCard(response: Response, version: StoredVersion): void {
  const disposition = `attachment; filename="${cardName}"`
  response.status(200).set({ 'content-type': 'text/markdown; charset=utf-8', 'content-disposition': disposition })
  response.send(modelCard(version))
}

/** Names of files were checked when they were stored: they have no quotes and no path. An archived import has none any more. */
function requireFile({ files, isArchived, producedBy }: StoredVersion, asked: string | undefined) {
  if (isArchived && producedBy.type === 'import') throw notFound('file', 'file')
  const weights = files.find(({ name }) => name === adapterWeights) ?? files[0]
  const found = asked === undefined ? weights : files.find(({ name }) => name === asked)
  if (found === undefined) throw notFound('file', 'file')
  return found
}
