import type { Socket } from 'node:net'
import { kibibyte } from '@ratchet/contracts/byte-sizes'
import { uuidOf } from '@ratchet/contracts/public-id'
import { type MediaRequest, mediaCloseCodes } from '@ratchet/contracts/voice/media-messages'
import type { Upgrades } from '@ratchet/service-kit/http/serve-http'
import { type WebSocket, WebSocketServer } from 'ws'
import type { CallWorker, MediaSession, MediaStart } from '../calls/call-worker.ts'
import { createUnstarted } from './unstarted.ts'
import { createWsPeer } from './ws-peer.ts'

export interface MediaUpgradesOptions {
  readonly worker: Pick<CallWorker, 'open' | 'hasRoom'>
  readonly nowMs: () => number
  readonly startMs?: number
}

/** Time for the first message. */
const defaultStartMs = 5_000
const maxMessageBytes = 16 * kibibyte
/** Frames of audio that may come before the call is claimed, and are not heard. */
const path = /^\/media\/(call_[0-9a-f]{32})$/

/** WebSockets of web calls, at `/media/{call}`. The first message has the token. */
export function createMediaUpgrades({ worker, nowMs, startMs = defaultStartMs }: MediaUpgradesOptions): Upgrades {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    autoPong: false,
  })
  const unstarted = createUnstarted()

  function begin(websocket: WebSocket, callId: string): void {
    unstarted.add(websocket)
    let state: { readonly kind: 'new' | 'opening' | 'closed' } | { readonly kind: 'open'; session: MediaSession } = {
      kind: 'new',
    }
    const late = setTimeout(() => websocket.close(mediaCloseCodes.late), startMs)
    const started = () => {
      unstarted.delete(websocket)
      clearTimeout(late)
    }
    const open = async (start: MediaStart) => {
      started()
      state = { kind: 'opening' }
      const session = await worker.open(callId, start, peer)
      if (session === null) return
      if ((state as { kind: string }).kind === 'closed') session.closed(false)
      else state = { kind: 'open', session }
    }
    const peer = createWsPeer(websocket, {
      nowMs,
      events: {
        onMessage(message: MediaRequest) {
          if (state.kind === 'new' && message.type === 'start') void open(message)
          else if (state.kind === 'open' && message.type !== 'start') state.session.take(message)
          else if (state.kind !== 'closed') websocket.close(mediaCloseCodes.protocol)
        },
        onAudio(bytes) {
          if (state.kind === 'open') state.session.takeAudio(bytes)
        },
        onClose(isOnPurpose) {
          started()
          if (state.kind === 'open') state.session.closed(isOnPurpose)
          state = { kind: 'closed' }
        },
      },
    })
  }

  return {
    accepts: ({ method, headers, url = '' }) =>
      method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && path.test(url.split('?')[0] ?? ''),
    take(request, socket: Socket, head) {
      const [, publicCallId = ''] = path.exec((request.url ?? '').split('?')[0] ?? '') ?? []
      const callId = uuidOf('call', publicCallId)
      if (callId === null || !worker.hasRoom) {
        refuse(socket)
        return
      }
      server.handleUpgrade(request, socket, head, (websocket) => begin(websocket, callId))
    },
  }
}

/** The client tries again, perhaps at another worker. */
function refuse(socket: Socket): void {
  socket.on('error', () => undefined)
  socket.end('HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
}
