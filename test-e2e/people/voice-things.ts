import { randomUUID } from 'node:crypto'
import { publicId } from '@ratchet/contracts/public-id'
import { CreateAgent } from '@ratchet/contracts/voice/agents'
import type { Pool } from '@ratchet/db/connect-pool'
import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { agentSettings } from '../voice/voice-fleet.ts'

const numberSettings = {
  allowed_countries: ['US'],
  max_calls_per_second: 1,
  fallback_number: null,
  max_concurrent: 10,
  daily_spend_usd: 50,
  sip: { termination_uri: 'sip:192.0.2.1', transport: 'udp', username: null, allowed_ips: [] },
}

/** An agent with a canary, its number, and a call of it that has ended. */
export async function createVoiceThings(
  pool: Pool,
  { workspaceId, userId }: Pick<DemoWorkspace, 'workspaceId' | 'userId'>,
): Promise<{ readonly agent: string; readonly call: string; readonly number: string }> {
  const [agent, call, version, number] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
  const spec = JSON.stringify(CreateAgent.parse(agentSettings))
  await pool.query(
    `INSERT INTO agent (id, workspace_id, owner_user_id, version, published_version, created_at, updated_at)
     VALUES ($1, $2, $3, 1, 1, now(), now())`,
    [agent, workspaceId, userId],
  )
  await pool.query(
    `INSERT INTO agent_version (id, agent_id, workspace_id, version, spec, sha256, created_by, created_at)
     VALUES ($1, $2, $3, 1, $4, '0', $5, now())`,
    [version, agent, workspaceId, spec, userId],
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
  return { agent: publicId('agent', agent), call: publicId('call', call), number: publicId('voiceNumber', number) }
}
