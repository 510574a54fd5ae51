import { capturesPath, capturesType, encodeCaptures } from '@ratchet/contracts/captured-exchange'
import { fleetIdentity, identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { type CallClocks, startUpstreamCall } from '@ratchet/http/upstream-call'
import { type NamedKey, signIdentity } from '@ratchet/service-kit/identity'
import type { Dispatcher } from 'undici'
import { type CaptureSink, sendInChunks } from './capture-sink.ts'

export interface DirectSinkOptions {
  /** The logging service. */
  readonly upstream: Dispatcher
  /** Signs for the audience `logging`. */
  readonly key: NamedKey
  readonly now: () => Date
  readonly newId: () => string
}

/** Bytes in one call. */
const maxBytesPerCall = 4 * 1024 * 1024
const clocks: CallClocks = { firstByteMs: 5_000, idleMs: 2_000, totalMs: 8_000 }

/** Gives exchanges to the logging service itself, which answers once they are stored. */
export function createDirectSink({ upstream, key, now, newId }: DirectSinkOptions): CaptureSink {
  return (exchanges) =>
    sendInChunks(exchanges, maxBytesPerCall, async (chunk) => {
      const requestId = newId()
      const bound = { audience: 'logging', requestId, method: 'POST', path: capturesPath }
      const status = await post(upstream, encodeCaptures(chunk), {
        'content-type': capturesType,
        [requestIdHeader]: requestId,
        [identityHeader]: signIdentity(key, bound, fleetIdentity, now().getTime()),
      })
      if (status !== 204) throw new Error(`the logging service answered ${status}`)
    })
}

function post(upstream: Dispatcher, body: Buffer, headers: Readonly<Record<string, string>>): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  let status = 0
  startUpstreamCall(
    upstream,
    { method: 'POST', path: capturesPath, headers, body, clocks },
    {
      onHead(answered) {
        status = answered
      },
      onData() {},
      onEnd: () => resolve(status),
      onFailure: ({ kind, cause }) => reject(new Error(`the logging service is away (${kind})`, { cause })),
    },
  )
  return promise
}
