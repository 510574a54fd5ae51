import { mkdtemp, rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
// @ts-expect-error It has no types.
import S3rver from '@20minutes/s3rver'

/** A server that speaks S3 on loopback, with one bucket in a temporary folder. */
export interface S3Server {
  readonly endpoint: string
  readonly bucket: string
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string }
  stop(): Promise<void>
}

interface RunningServer {
  readonly httpServer: Server
  run(): Promise<{ readonly port: number }>
  close(): Promise<void>
}
type S3rverClass = new (options: object) => RunningServer

/** @param checksSignatures false for requests to the bucket itself: the server computes their signatures wrongly */
export async function startS3Server({ checksSignatures = true } = {}): Promise<S3Server> {
  const directory = await mkdtemp(join(tmpdir(), 's3-'))
  const bucket = 'artifacts'
  const options = {
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: bucket }],
    allowMismatchedSignatures: !checksSignatures,
  }
  const server = new (S3rver as S3rverClass)(options)
  const { port } = await server.run()
  return {
    endpoint: `http://127.0.0.1:${port}`,
    bucket,
    credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    async stop() {
      server.httpServer.closeAllConnections()
      await server.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
