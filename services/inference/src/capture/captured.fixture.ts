import type { CapturedExchange } from '@ratchet/contracts/captured-exchange'

/** A captured exchange, identified by `index`. */
export function capturedExchange(index = 0, reply: Buffer = Buffer.from('{"choices":[]}')): CapturedExchange {
  const digits = String(index).padStart(12, '0')
  return {
    meta: {
      dialect: 'chat',
      requestId: `00000000-0000-7000-8000-${digits}`,
      workspaceId: '00000000-0000-7000-8000-0000000000aa',
      keyId: '00000000-0000-7000-8000-0000000000bb',
      createdAt: '2026-11-21T12:00:00.000Z',
      expiresAt: '2026-12-21T12:00:00.000Z',
      servedModel: 'acme/fast',
      requestedModel: 'fast',
      provider: 'acme',
      alias: null,
      canary: false,
      fallbackFrom: null,
      tag: null,
      traceId: null,
      user: null,
      conversationId: null,
      metadata: {},
      stream: false,
      cached: false,
      costNano: '3000',
      latencyMs: 12,
      ttftMs: null,
    },
    request: Buffer.from('{"messages":[]}'),
    reply,
  }
}
