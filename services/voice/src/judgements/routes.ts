import { uuidOf } from '@ratchet/contracts/public-id'
import { readConversation } from '@ratchet/contracts/voice/internal-calls'
import { mountJson } from '@ratchet/service-kit/http/mount-json'
import type { Router } from 'express'
import type { AgentStore } from '../agents/agent-store.ts'
import type { CallStore } from '../calls/call-store.ts'
import { conversationOf } from './conversation.ts'

export interface ConversationRouteDeps {
  readonly calls: Pick<CallStore, 'get' | 'turns'>
  readonly agents: Pick<AgentStore, 'version'>
}

/** For judges. The edge does not forward to it. */
export function conversationRoutes(router: Router, { calls, agents }: ConversationRouteDeps): void {
  mountJson(router, readConversation, async ({ body, identity: { workspaceId } }) => {
    const id = uuidOf('call', body.trace_id)
    const call = id === null ? null : await calls.get({ workspaceId, id })
    const version = call === null ? null : await agents.version({ workspaceId, id: call.agentId }, call.agentVersion)
    if (call === null || version === null || call.erasedAt !== null) return { reply: { conversation: null } }
    const { messages, response, model } = conversationOf({ call, spec: version.spec, turns: await calls.turns(call) })
    return { reply: { conversation: { messages: [...messages], response, model } } }
  })
}
