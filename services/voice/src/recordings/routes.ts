import { getCallRecording } from '@ratchet/contracts/voice/recordings'
import { mountRaw } from '@ratchet/service-kit/http/mount'
import { type Waiters, waitersName } from '@ratchet/service-kit/http/prefer-wait'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import { writePieces } from '@ratchet/service-kit/http/write-pieces'
import type { ByteSeal } from '@ratchet/service-kit/identity/byte-seal'
import type { Router } from 'express'
import type { CallKey } from '../calls/call.ts'
import type { CallStore } from '../calls/call-store.ts'
import { requireCall } from '../calls/require-call.ts'
import { type RecordingStore, recordingPlace } from './recording.ts'
import { type ByteRange, type ChunkPart, partsOf, rangeOf, waveBytes, waveHeader } from './wave.ts'

export interface RecordingRouteDeps {
  readonly calls: Pick<CallStore, 'get'>
  readonly recordings: RecordingStore
  readonly recordingSeal: Pick<ByteSeal, 'open'>
}

/** The recording of a call as a WAV file, also while the call goes on. Chunks are read one after the other. */
export function recordingRoutes(router: Router, deps: RecordingRouteDeps): void {
  const { calls, recordings } = deps
  mountRaw(router, getCallRecording, async ({ params, identity, request }, response) => {
    const call = await requireCall(calls, identity, params.id)
    const info = call.erasedAt === null ? await recordings.info(call) : null
    if (info === null) throw notFound('recording')
    const leave = (request.app.locals[waitersName] as Waiters).enter(call.workspaceId)
    if (leave === null) {
      const message = 'The workspace reads too many recordings and streams at the same time.'
      throw new ServiceError('rate_limit_exceeded', message, { retryAfterSeconds: 5 })
    }
    response.once('close', leave)
    const size = waveBytes(info.samples)
    const range = rangeOf(request.get('range'), size)
    response.set({ 'accept-ranges': 'bytes', 'cache-control': 'private, no-store' })
    const whole: ByteRange = { from: 0, to: size - 1 }
    const { from, to } = range ?? whole
    if (range !== null) response.status(206).set('content-range', `bytes ${from}-${to}/${size}`)
    response.set('content-length', String(to + 1 - from))
    const head = waveHeader(info).subarray(from, to + 1)
    const parts = partsOf(await recordings.chunks(call), { from, to })
    await writePieces(response, 'audio/wav', pieces(deps, call, head, parts))
  })
}

async function* pieces(
  { recordings, recordingSeal }: RecordingRouteDeps,
  call: CallKey,
  head: Buffer,
  parts: readonly ChunkPart[],
): AsyncGenerator<Uint8Array, void> {
  yield head
  for (const { number, from, to } of parts) {
    const sealed = await recordings.read(call, number)
    if (sealed === null) throw new Error('the recording was deleted while it was read')
    yield recordingSeal.open(sealed, recordingPlace(call)).subarray(from, to)
  }
}
