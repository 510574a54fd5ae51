import { CreateAgent } from '@ratchet/contracts/voice/agents'
import type { Script } from './scripted-server.ts'

const at = '2026-11-18T10:00:00.000Z'

const spec = CreateAgent.parse({
  name: 'Reception',
  system_prompt: 'You answer the telephone of Example Ltd.',
  language: 'en-US',
  voice: 'sim/readable',
  model: 'sim/assistant',
  first_message: 'Hello, this is Example Ltd.',
  criterion_ids: ['crit_2'],
  recording_enabled: true,
  recording_consent: 'announce',
  consent_text: 'This call is recorded.',
})

const agent = {
  object: 'agent',
  id: 'agent_1',
  ...spec,
  version: 3,
  published_version: 2,
  canary_version: 2,
  created_at: at,
  updated_at: at,
}

const versionOf = (version: number) => ({
  object: 'agent.version',
  id: `version_${version}`,
  agent_id: 'agent_1',
  version,
  sha256: '0'.repeat(64),
  is_published: version === 2,
  created_by: 'user_1',
  created_at: at,
  ...spec,
})

const speaker = {
  object: 'voice',
  id: 'sim/readable',
  provider: 'sim',
  name: 'readable',
  languages: ['en-US'],
  gender: 'neutral',
  usd_per_1000_characters: 0.015,
  available: true,
}

const arm = { short: 1, open: 2, unjudged: 0, graded: 12 }

const canary = {
  object: 'agent.canary',
  agent_id: 'agent_1',
  version: 3,
  percent: 20,
  gate_criterion_id: 'crit_2',
  gate_mode: 'recommend',
  gate_min_samples_per_arm: 100,
  gate_rollback_threshold: 0.05,
  gate_confidence: 0.95,
  gate_window_hours: 168,
  gate_guard: {},
  target_version: 2,
  state: 'collecting',
  reason: 'There are 40 scored runs of the canary; 100 are required.',
  arms: {
    target: { ...arm, version: 2, calls: 170, scored: 160, fails: 12, pass_rate: 0.925 },
    canary: { ...arm, version: 3, calls: 44, scored: 40, fails: 6, pass_rate: 0.85 },
  },
  trust: 'trustworthy',
  youden: 0.92,
  difference: { estimate: -0.08, cs: [-0.22, 0.06] },
  graded_difference: null,
  srm_p: 0.6,
  guard: [],
  epoch: 1,
  looks: 12,
  started_at: at,
  ends_at: at,
  looked_at: at,
  decided_at: null,
}

const call = {
  object: 'call',
  id: 'call_1',
  type: 'web',
  status: 'completed',
  env: 'live',
  agent_id: 'agent_1',
  agent_version: 3,
  arm: 'canary',
  trace_id: 'call_1',
  variables: {},
  metadata: {},
  created_at: at,
  schedule_at: null,
  answered_at: at,
  ended_at: at,
  duration_seconds: 62.4,
  ended_reason: 'caller_hangup',
  ended_by: 'caller',
  worker_generations: 1,
}

const turn = { interrupted: false, said_ms: null, tool_call: null }
const tool = { id: 'c1', name: 'find_order', arguments: '{"number":"7"}' }

const details = {
  ...call,
  transcript: [
    {
      ...turn,
      index: 0,
      role: 'agent',
      text: 'Hello, this is Example Ltd.',
      start_ms: 0,
      end_ms: 1_900,
      said_ms: 1_900,
    },
    { ...turn, index: 1, role: 'caller', text: 'Where is my order?', start_ms: 2_600, end_ms: 3_900 },
    {
      ...turn,
      index: 2,
      role: 'tool',
      text: '{"state":"on its way"}',
      start_ms: 4_300,
      end_ms: 4_700,
      tool_call: tool,
    },
    {
      ...turn,
      index: 3,
      role: 'agent',
      text: 'It is on',
      start_ms: 5_200,
      end_ms: 5_900,
      interrupted: true,
      said_ms: 700,
    },
  ],
  answered_by: null,
  consent: 'granted',
  recording: { channels: 2, duration_ms: 62_400, bytes: 1_996_858, partial: false },
  cost: {
    telephony_usd: 0,
    stt_usd: 0.0031,
    llm_usd: 0.0008,
    tts_usd: 0.0009,
    platform_usd: 0,
    total_usd: 0.0048,
    settled: true,
  },
  cost_usd: 0.0048,
  analysis: {
    success: null,
    verdicts: [
      { criterion_id: 'crit_2', state: 'done', verdict: 'fail', failure: null, trust: 'under-measured' },
      { criterion_id: 'crit_1', state: 'failed', verdict: null, failure: 'not_logged', trust: null },
    ],
  },
  latency: {
    p50_ms: 720,
    p95_ms: 910,
    turns: [
      { eot_ms: 320, stt_ms: 140, llm_ttft_ms: 210, tts_ttfa_ms: 80, total_ms: 720 },
      { eot_ms: 410, stt_ms: null, llm_ttft_ms: 300, tts_ttfa_ms: 90, total_ms: 910 },
    ],
  },
}

const page = { total: 1, limit: 100, offset: 0, has_more: false }
const voice = '/api/w/demo/session/voice'

/** An agent with a canary, and a call of it. */
export const voiceScript: Script = {
  [`GET ${voice}/agents`]: { object: 'list', data: [agent], ...page },
  [`GET ${voice}/agents/agent_1`]: agent,
  [`GET ${voice}/agents/agent_1/canary`]: canary,
  [`GET ${voice}/agents/agent_1/versions`]: { object: 'list', data: [3, 2, 1].map(versionOf), ...page, total: 3 },
  [`GET ${voice}/languages`]: { object: 'list', data: [{ object: 'language', id: 'en-US', name: 'American English' }] },
  [`GET ${voice}/voices`]: { object: 'list', data: [speaker] },
  [`GET ${voice}/tools`]: { object: 'list', data: [], ...page, total: 0 },
  [`GET ${voice}/calls`]: { object: 'list', data: [call], ...page },
  [`GET ${voice}/calls/call_1`]: details,
}
