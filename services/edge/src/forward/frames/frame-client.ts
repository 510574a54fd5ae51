import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { FrameConnection, readRecords } from '@ratchet/service-kit/frames/frame-connection'
import { type Frame, FrameError } from '@ratchet/service-kit/frames/frame-format'
import type { FramesAddress } from '@ratchet/service-kit/frames/frames-address'
import { type EdgeProof, maxHandshakeBytes, proveEdge } from '@ratchet/service-kit/frames/handshake'
import { maxSealedBytes } from '@ratchet/service-kit/frames/record-mac'
import { createRecordReader } from '@ratchet/service-kit/frames/record-reader'
import type { NamedKey } from '@ratchet/service-kit/identity/identity'
import { backoff } from '@ratchet/service-kit/timing/backoff'
import type { Transport } from '../forwarded-call.ts'
import { FrameSession } from './frame-session.ts'

export interface FrameClientOptions {
  readonly address: FramesAddress
  /** The identity key of the service, with which the edge signs. */
  readonly key: NamedKey
  readonly onConnected: () => void
  /**
   * The connection ended, or the first one could not be made for some seconds, because services start at the same time.
   * Requests go over HTTP until there is one again. Further attempts that fail are not reported.
   */
  readonly onLost: (cause: Error | null) => void
  /** Uniform in [0, 1). */
  readonly random: () => number
}

/** Time for a connection and the proofs of both peers, milliseconds. */
const connectTimeoutMs = 1_000
const reconnect = { firstMs: 50, maxMs: 1_000 }
const keepAliveMs = 15_000
/** Attempts before the first connection that may fail without a report: about four seconds. */
const quietAttempts = 8

/** Keeps one connection of frames to a service, and connects again when it is lost. */
export function createFrameClient({ address, key, onConnected, onLost, random }: FrameClientOptions): Transport {
  let session: FrameSession | null = null
  const leaving = new Set<FrameSession>()
  let failures = 0
  let timer: NodeJS.Timeout | undefined
  let attempt: Socket | null = null
  let isClosed = false
  let state: 'starting' | 'connected' | 'lost' = 'starting'

  const reportLost = (cause: Error | null) => {
    if (state === 'lost' || (state === 'starting' && failures < quietAttempts)) return
    state = 'lost'
    if (!isClosed) onLost(cause)
  }
  const schedule = () => {
    if (isClosed) return
    timer = setTimeout(start, backoff(failures, { ...reconnect, jitter: { share: 0.5, random } })).unref()
    failures += 1
  }
  const start = () => {
    let own: FrameSession | null = null
    attempt = openConnection(address, key, {
      onReady(connection, socket) {
        attempt = null
        failures = 0
        own = new FrameSession(connection, socket, () => retire(own as FrameSession | null))
        session = own
        state = 'connected'
        onConnected()
        return own
      },
      onClosed(cause) {
        attempt = null
        if (own !== null) leaving.delete(own)
        own?.onLost(cause ?? new Error('the connection of frames ended'))
        if (own !== null && own !== session) return
        session = null
        reportLost(cause)
        schedule()
      },
    })
  }
  /** The service takes no new requests on this connection. Its running ones end there; a new connection is made. */
  const retire = (leaver: FrameSession | null) => {
    if (leaver === null || leaver !== session) return
    leaving.add(leaver)
    session = null
    reportLost(null)
    schedule()
  }
  const stop = (): readonly FrameSession[] => {
    isClosed = true
    clearTimeout(timer)
    attempt?.destroy()
    return [...leaving, ...(session === null ? [] : [session])]
  }
  start()
  return {
    dispatch: (call, handler) => session?.dispatch(call, handler) ?? false,
    async close() {
      await Promise.all(stop().map((each) => each.finish()))
    },
    async cut() {
      await Promise.all(stop().map((each) => each.cut()))
    },
  }
}

interface ConnectionListener {
  /** Both peers are proved. Returns what takes the frames. */
  onReady(connection: FrameConnection, socket: Socket): FrameSession
  /** @param cause null when the service closed the connection in order */
  onClosed(cause: Error | null): void
}

function openConnection(address: FramesAddress, key: NamedKey, listener: ConnectionListener): Socket {
  const socket = connect({ ...address, noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveMs })
  let connection: FrameConnection | null = null
  let proof: EdgeProof | null = null
  let session: FrameSession | null = null
  let cause: Error | null = null
  const timer = setTimeout(() => socket.destroy(new Error('no connection of frames in time')), connectTimeoutMs).unref()
  const reader = createRecordReader(maxHandshakeBytes, (record) => {
    if (connection !== null) {
      connection.accept(record)
      return
    }
    if (proof === null) {
      proof = proveEdge(record, key, randomBytes(32))
      socket.write(proof.record)
      return
    }
    proof.checkAnswer(record)
    clearTimeout(timer)
    reader.limitBytes = maxSealedBytes
    const onFrame = (frame: Frame) => session?.receive(frame)
    connection = new FrameConnection({
      socket,
      sealKey: proof.keys.fromEdge,
      openKey: proof.keys.fromInference,
      onFrame,
    })
    session = listener.onReady(connection, socket)
  })
  readRecords(socket, reader, (error) => {
    cause = error
  })
  socket.on('error', (error) => {
    cause = error
  })
  socket.once('close', () => {
    clearTimeout(timer)
    listener.onClosed(cause ?? (session?.isLeaving === true ? null : new FrameError('the peer closed the connection')))
  })
  return socket
}
