import { randomUUID } from 'node:crypto'
import { publicId } from '@ratchet/contracts/public-id'
import { CreateAgent } from '@ratchet/contracts/voice/agents'
import type { Pool } from '@ratchet/db/connect-pool'
import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import type { VoiceKind } from '../tenants/references.ts'
import { agentSettings } from '../voice/voice-fleet.ts'

const numberSettings = {
  allowed_countries: ['US'],
  max_calls_per_second: 1,
  fallback_number: null,
  max_concurrent: 10,
  daily_spend_usd: 50,
  sip: { termination_uri: 'sip:192.0.2.1', transport: 'udp', username: null, allowed_ips: [] },
}

const toolSettings = {
  description: 'Finds an order.',
  parameters: { type: 'object' },
  http: { url: 'https://192.0.2.1/', method: 'POST', headers: {}, timeout_ms: 5_000 },
  side_effects: false,
  speak_after_ms: 700,
  filler: null,
  result_max_bytes: 16_384,
}

/** An agent with a canary, its number, a tool, and a call of it that has ended; and an agent of which there is nothing else. */
export async function createVoiceThings(
  pool: Pool,
  { workspaceId, userId }: Pick<DemoWorkspace, 'workspaceId' | 'userId'>,
): Promise<Readonly<Record<VoiceKind, string>>> {
  const [agent, unused, tool, call, number] = Array.from({ length: 5 }, () => randomUUID()) as [
    string,
    string,
    string,
    string,
    string,
  ]
  const spec = JSON.stringify(CreateAgent.parse(agentSettings))
  await pool.query(
    `INSERT INTO agent (id, workspace_id, owner_user_id, version, published_version, created_at, updated_at)
     SELECT each, $2, $3, 1, 1, now(), now() FROM unnest($1::uuid[]) each`,
    [[agent, unused], workspaceId, userId],
  )
  await pool.query(
    `INSERT INTO agent_version (id, agent_id, workspace_id, version, spec, sha256, created_by, created_at)
     SELECT gen_random_uuid(), each, $2, 1, $3, '0', $4, now() FROM unnest($1::uuid[]) each`,
    [[agent, unused], workspaceId, spec, userId],
  )
  await pool.query(
    `INSERT INTO voice_tool (id, workspace_id, owner_user_id, name, settings, created_at, updated_at)
     VALUES ($1, $2, $3, 'find_order', $4, now(), now())`,
    [tool, workspaceId, userId, JSON.stringify(toolSettings)],
  )
  const canary = { version: 2, percent: 0, gate_criterion_id: randomUUID(), gate_mode: 'recommend', gate_guard: {} }
  const gate = { gate_min_samples_per_arm: 100, gate_rollback_threshold: 0.05 }
  const settings = JSON.stringify({ ...canary, ...gate, gate_confidence: 0.95, gate_window_hours: 168 })
  await pool.query(
    `INSERT INTO agent_canary (agent_id, workspace_id, settings, target_version, epoch, user_id, started_at)
     VALUES ($1, $2, $3, 1, 1, $4, now())`,
    [agent, workspaceId, settings, userId],
  )
  await pool.query(
    `INSERT INTO call (id, workspace_id, owner_user_id, agent_id, agent_version, env, type, status, ended_reason, ended_by, overrides,
       variables, metadata, retention_days, created_at, ended_at)
     VALUES ($1, $2, $3, $4, 1, 'live', 'web', 'canceled', 'canceled', 'api', '{}', '{}', '{}', 30, now(), now())`,
    [call, workspaceId, userId, agent],
  )
  await pool.query(
    `INSERT INTO voice_number (id, workspace_id, owner_user_id, e164, provider, agent_id, direction, settings, created_at, updated_at)
     VALUES ($1, $2, $3, '+14155550123', 'sip', $4, 'both', $5, now(), now())`,
    [number, workspaceId, userId, agent, JSON.stringify(numberSettings)],
  )
  return {
    agent: publicId('agent', agent),
    agent_to_delete: publicId('agent', unused),
    voice_tool: publicId('voiceTool', tool),
    call: publicId('call', call),
    number: publicId('voiceNumber', number),
  }
}
