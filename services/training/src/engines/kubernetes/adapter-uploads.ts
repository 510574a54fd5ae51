import { CallFailed, collectAnswer } from '@ratchet/http/collect-answer'
import { createUpstream } from '@ratchet/http/create-upstream'
import type { Adapter } from '../engines.ts'

const clocks = { firstByteMs: 60_000, idleMs: 60_000, totalMs: 600_000 }
const maxBytes = 65_536

/** The folders of an engine in a pod, through the container beside it. */
export interface AdapterUploads {
  /** @returns the folder as the engine sees it @throws Error when the files do not arrive as they should */
  place(address: string, adapter: Adapter): Promise<string>
  discard(address: string, adapter: string): Promise<void>
}

/** Sends adapters to the container `adapters` of a pod ({@link adapterServer}), which checks them. */
export function createAdapterUploads(): AdapterUploads {
  async function send(
    address: string,
    request: Pick<Parameters<typeof collectAnswer>[1], 'method' | 'path' | 'headers' | 'body'>,
  ) {
    const upstream = createUpstream({ origin: address, connections: 1, connectTimeoutMs: 5_000 })
    try {
      const { status, body } = await collectAnswer(upstream, { ...request, clocks }, { maxBytes })
      return { status, text: body.toString() }
    } catch (error) {
      if (error instanceof CallFailed) throw new Error(`an adapter was not sent: ${error.message}`, { cause: error })
      throw error
    } finally {
      await upstream.destroy()
    }
  }

  return {
    async place(address, { name, files, read }) {
      const path = `/adapters/${name}`
      const found = await send(address, { method: 'GET', path, headers: {}, body: null })
      if (found.status === 200) return found.text
      for (const { name: file, sha256, bytes } of files) {
        const headers = { 'content-length': String(bytes), 'x-content-sha256': sha256 }
        const sent = await send(address, { method: 'PUT', path: `${path}/${file}`, headers, body: await read(sha256) })
        if (sent.status !== 204) throw new Error(`the file ${file} of an adapter was refused: ${sent.status}`)
      }
      const body = Buffer.from(JSON.stringify({ files: files.map(({ name: file }) => file) }))
      const complete = await send(address, { method: 'POST', path, headers: {}, body })
      if (complete.status !== 200) throw new Error(`an adapter was refused: ${complete.status}`)
      return complete.text
    },
    async discard(address, adapter) {
      await send(address, { method: 'DELETE', path: `/adapters/${adapter}`, headers: {}, body: null })
    },
  }
}
