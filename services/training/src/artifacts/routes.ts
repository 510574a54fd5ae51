import { pipeline } from 'node:stream/promises'
import { Sha256 } from '@ratchet/contracts/trainer-spec'
import { parseInput } from '@ratchet/service-kit/http/parse-input'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Request, Router } from 'express'
import { z } from 'zod'
import { ArtifactMissing, type ArtifactStore } from './artifact-store.ts'
import { artifactPath, type PathSigner, type SignedAccess } from './signed-path.ts'

export interface ArtifactRouteDeps {
  readonly artifacts: Pick<ArtifactStore, 'receive' | 'get'>
  readonly signer: PathSigner
  readonly now: () => Date
}

const Params = z.object({ sha256: Sha256 })
const Query = z.object({
  method: z.enum(['get', 'put']),
  bytes: z.coerce.number().int().min(0),
  scope: z.string().max(100).default(''),
  expires: z.coerce.number().int().min(0),
  signature: z.string(),
})

/** Serves the artifacts of a directory to whoever has a signed URL. Without one, it does not exist. */
export function artifactRoutes(router: Router, { artifacts, signer, now }: ArtifactRouteDeps): void {
  const path = `${artifactPath}/:sha256`

  function requireAccess(request: Request, method: SignedAccess['method']): SignedAccess {
    request.routeName = path
    const { sha256 } = parseInput(Params, request.params)
    const { signature, ...query } = parseInput(Query, request.query)
    const access = { sha256, ...query }
    if (query.method !== method || !signer.verify(access, signature, now())) throw notFound('artifact', 'sha256')
    return access
  }

  router.put(path, async (request, response) => {
    const { sha256, bytes, scope } = requireAccess(request, 'put')
    request.bodyOwner = sha256
    if (request.headers['content-length'] !== String(bytes)) {
      throw new ServiceError('invalid_request', `Send ${bytes} bytes, with a \`Content-Length\`.`)
    }
    if (artifacts.receive === undefined) throw notFound('artifact', 'sha256')
    await artifacts.receive({ sha256, bytes, scope }, request).catch((cause: unknown) => {
      if (!(cause instanceof RangeError)) throw cause
      throw new ServiceError('invalid_request', 'The bytes are not the announced ones.', { cause })
    })
    request.resume()
    response.status(200).json({ sha256 })
  })

  router.get(path, async (request, response) => {
    const { sha256, bytes } = requireAccess(request, 'get')
    const content = await artifacts.get(sha256).catch((cause: unknown) => {
      throw cause instanceof ArtifactMissing ? notFound('artifact', 'sha256') : cause
    })
    response.status(200).set({ 'content-type': 'application/octet-stream', 'content-length': String(bytes) })
    // A client that disconnects needs no answer.
    await pipeline(content, response).catch(() => response.destroy())
  })
}
