import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express, { type ErrorRequestHandler, Router } from 'express'
import { describeArtifactStore, describeUploadSweep, type StoreUnderTest } from './artifact-store.contract.ts'
import { createDirectoryArtifacts } from './directory-artifacts.ts'
import { artifactRoutes } from './routes.ts'
import { createS3Artifacts } from './s3-artifacts.ts'
import { type S3Server, startS3Server } from './s3-server.fixture.ts'
import { createPathSigner } from './signed-path.ts'

const now = () => new Date()

describe('a directory', () => {
  let root = ''
  let server: Server
  let underTest: StoreUnderTest

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'artifacts-'))
    const signer = createPathSigner([new Uint8Array(32).fill(7)])
    let ids = 0
    const store = createDirectoryArtifacts({ root, signer, newId: () => `id-${ids++}` })
    const router = Router()
    artifactRoutes(router, { artifacts: store, signer, now })
    const answerStatus: ErrorRequestHandler = (error, _request, response, _next) => {
      response.status((error as { status?: number }).status ?? 500).end()
    }
    server = createServer(express().use(router).use(answerStatus))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    underTest = { store, baseUrl: `http://127.0.0.1:${port}`, now }
  })

  afterAll(async () => {
    server.closeAllConnections()
    server.close()
    await rm(root, { recursive: true })
  })

  describeArtifactStore(() => underTest)
  describeUploadSweep(() => underTest)
})

describe.each([
  { checksSignatures: true, describeStore: describeArtifactStore },
  { checksSignatures: false, describeStore: describeUploadSweep },
])('a bucket, signatures checked: $checksSignatures', ({ checksSignatures, describeStore }) => {
  let server: S3Server
  let underTest: StoreUnderTest

  beforeAll(async () => {
    server = await startS3Server({ checksSignatures })
    const { bucket, endpoint, credentials } = server
    const store = createS3Artifacts({ bucket, endpoint, credentials, region: 'us-east-1', now, newId: randomUUID })
    underTest = { store, baseUrl: endpoint, now }
  })

  afterAll(() => server.stop())

  describeStore(() => underTest)
})
