import { Alias } from '@ratchet/contracts/aliases'
import type { Criterion } from '@ratchet/contracts/criteria'
import { cascades } from './cascade-script.ts'
import { dedicatedScript } from './dedicated-script.ts'
import { erasureScript } from './erasure-script.ts'
import { evalScript } from './eval-script.ts'
import { grpoScript } from './grpo-script.ts'
import { moneyScript } from './money-script.ts'
import { raftScript } from './raft-script.ts'
import { reviewScript } from './review-script.ts'
import type { Script } from './scripted-server.ts'
import { toolsScript } from './tools-script.ts'
import { trainingScript } from './training-script.ts'
import { versionsScript } from './versions-script.ts'
import { voiceScript } from './voice-script.ts'

const at = '2026-11-20T10:00:00.000Z'
const later = '2026-12-20T10:00:00.000Z'
const id = (digit: number) => `00000000-0000-7000-8000-00000000000${digit}`

const judge = (fields: Partial<Criterion>): Partial<Criterion> => ({
  object: 'criterion',
  id: 'crit_1',
  name: 'Sound',
  kind: 'model',
  checks: null,
  description: null,
  judge_prompt: 'Fails when the answer contains a mistake.',
  judge_model: 'sim/judge',
  status: 'draft',
  source: 'human',
  unit: 'request',
  population: 'support',
  population_family: '',
  tier: 'aligned',
  trust: 'under-measured',
  can_act: false,
  cannot_act_reason: null,
  e_value_tpr: 18,
  e_value_tnr: 60,
  e_value_needed: 40,
  act_fail_grades_needed: 20,
  act_pass_grades_needed: null,
  tpr: 0.96,
  tnr: 0.99,
  tpr_ci: [0.88, 0.99],
  tnr_ci: [0.96, 1],
  repeatability: { rows: 20, same: 19, rate: 0.95, ci: [0.75, 1] },
  kappa: 0.9,
  alignment_picked: false,
  alignment_n: 169,
  aligned_at: at,
  fail_grades_needed: 12,
  pass_grades_needed: null,
  online_enabled: true,
  online_percent: 5,
  online_cap_usd: 5,
  online_spent_usd: 0.4,
  drift_status: 'ok',
  drift_signal: null,
  drift_cause: null,
  drift_reason: null,
  drift_checked_at: null,
  drift_detectable: { drop: 0.064, within_days: 14, chance: 0.8, verdicts_per_day: 51 },
  drift_panel_spent_usd: 0,
  created_at: at,
  ...fields,
})

const list = (data: readonly unknown[]) => ({
  object: 'list',
  data,
  total: data.length,
  limit: 100,
  offset: 0,
  has_more: false,
})

const person = { id: id(1), name: 'Ann', email: 'ann@example.com', role: 'owner' }

/** A workspace as its owner sees it. */
export const demoScript: Script = {
  ...moneyScript,
  ...erasureScript,
  ...evalScript,
  ...reviewScript,
  ...grpoScript,
  ...raftScript,
  ...toolsScript,
  ...voiceScript,
  ...trainingScript,
  ...versionsScript,
  ...dedicatedScript,
  'GET /api/me': {
    object: 'me',
    user: { id: id(1), email: 'ann@example.com', name: 'Ann', operator: false },
    session: { id: id(2), fresh_until: at, expires_at: later },
    workspaces: [
      { slug: 'demo', name: 'Demo', role: 'owner', may_grade: true },
      { slug: 'other', name: 'Other workspace', role: 'member', may_grade: false },
    ],
    sign_in: { password: true, passkey: true, oidc: [] },
    key_prefix: 'sk_svc_',
    brand_word: 'Svc',
  },
  'GET /api/preferences': { theme: 'auto', single_keys: true, shortcuts: {} },
  'GET /api/sessions': {
    object: 'list',
    data: [
      {
        id: id(2),
        current: true,
        user_agent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/156.0',
        created_at: at,
        expires_at: later,
      },
      {
        id: id(3),
        current: false,
        user_agent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0) Safari/604.1',
        created_at: at,
        expires_at: later,
      },
    ],
  },
  'GET /api/passkeys': { object: 'list', data: [{ id: id(2), name: 'Laptop', created_at: at }] },
  'GET /api/w/demo/v1/setup/status': {
    workspace: { slug: 'demo', name: 'Demo' },
    logging: { enabled: true, retention_days: 30 },
    traffic: { logged_conversations: 41_234 },
    grades: { total: 169, needed_to_calibrate: 0 },
    judges: {
      total: 3,
      calibrated: 3,
      trustworthy: 1,
      can_act: 1,
      fail_grades_needed: 12,
      act_fail_grades_needed: 0,
      act_pass_grades_needed: 0,
      cannot_act_reason: null,
    },
    next: {
      action: 'grade_fails',
      detail: 'Grade 12 more failing answers to prove the judge Sound.',
      takes: { samples: 260, grades: 60, days: 0, cost_usd: 0.52, minutes: 9 },
    },
  },
  'GET /api/w/demo/v1/criteria': list([
    judge({}),
    judge({ id: 'crit_2', name: 'Polite', trust: 'trustworthy', tpr_ci: [0.92, 0.99], fail_grades_needed: null }),
    judge({
      id: 'crit_3',
      name: 'Answers the question that was asked',
      trust: 'misaligned',
      tpr: 0.7,
      tpr_ci: [0.6, 0.8],
      fail_grades_needed: null,
      drift_status: 'flagged',
      drift_signal: 'quality_drop',
    }),
  ]),
  'GET /api/w/demo/v1/cascades': list(cascades),
  'GET /api/w/demo/v1/aliases': list([
    Alias.parse({
      object: 'alias',
      name: 'support',
      target_model: 'sim/medium',
      gate_state: 'rolled_back',
      created_at: '2026-11-18T09:00:00.000Z',
      updated_at: '2026-11-20T09:00:00.000Z',
      updated_by: id(1),
      version: 3,
    }),
  ]),
  'GET /api/w/demo/v1/models': { object: 'list', data: [] },
  'GET /api/w/demo/v1/webhooks': list([
    {
      object: 'webhook',
      id: 'whk_1',
      url: 'https://hooks.example.com/ratchet',
      events: ['eval.done', 'alias.gate.rolled_back'],
      description: null,
      format: 'standard',
      enabled: true,
      created_at: at,
      updated_at: at,
    },
  ]),
  'GET /api/w/demo/v1/webhooks/whk_1/deliveries': list([]),
  'GET /api/w/demo/settings': {
    object: 'settings',
    slug: 'demo',
    name: 'Demo',
    logging: { enabled: true, retention_days: 30, responses: false },
    response_cache: false,
    fallback_models: ['sim/small'],
    limits: { requests_per_minute: null, tokens_per_minute: 500_000 },
    evidence_policy: 'off',
  },
  'GET /api/w/demo/keys': {
    object: 'list',
    data: [
      {
        id: id(4),
        name: 'deploy',
        display: 'sk_svc_01ab',
        created_by: person,
        created_at: at,
        last_used_at: at,
        revoked_at: null,
        requests_per_minute: 60,
        tokens_per_minute: null,
        expires_at: '2100-01-01T00:00:00.000Z',
        allowed_models: ['openai/*', 'support'],
      },
      {
        id: id(5),
        name: 'notebook',
        display: 'sk_svc_77ff',
        created_by: { ...person, name: 'Bob', role: null },
        created_at: at,
        last_used_at: null,
        revoked_at: null,
        requests_per_minute: null,
        tokens_per_minute: null,
        expires_at: null,
        allowed_models: [],
      },
      {
        id: id(6),
        name: 'old',
        display: 'sk_svc_0000',
        created_by: person,
        created_at: at,
        last_used_at: at,
        revoked_at: at,
        requests_per_minute: null,
        tokens_per_minute: null,
        expires_at: null,
        allowed_models: [],
      },
    ],
  },
  'GET /api/w/demo/events': {
    object: 'list',
    data: [
      { id: id(3), at, kind: 'alias.rollback', name: 'support', judge_id: null, requests: null },
      { id: id(4), at, kind: 'scan.done', name: 'Sound', judge_id: 'crit_1', requests: null },
      { id: id(5), at, kind: 'log.lost', name: '2026-11-20', judge_id: null, requests: 7 },
      { id: id(8), at, kind: 'catalog.stale', name: '2026-05-01', judge_id: null, requests: null },
    ],
  },
  'GET /api/w/demo/v1/logs/segments': {
    object: 'list',
    data: [
      {
        segment: 'greeter',
        label: 'You greet customers of the shop',
        exchanges: 1_240,
        exact_variants: 3,
        first_at: '2026-11-01T10:00:00.000Z',
        last_at: '2026-11-20T10:00:00.000Z',
        sample: 'You greet customers of the shop in a friendly voice.',
      },
    ],
    total: 1,
    limit: 200,
    offset: 0,
    has_more: false,
  },
  'GET /api/w/demo/session/review/waiting': { object: 'review.waiting', started: 4, disputed: 3 },
  'GET /api/w/demo/session/providers': {
    object: 'list',
    data: [
      {
        object: 'provider',
        id: 'openai',
        name: 'OpenAI',
        models: 24,
        name_patterns: [],
        installation_key: true,
        requests_7d: 1_240,
      },
    ],
  },
  'GET /api/w/demo/provider_keys': {
    object: 'list',
    data: [{ provider: 'openai', display: '…f3Qx', base_url: null, created_at: at, updated_at: at }],
  },
  'GET /api/w/demo/members': {
    object: 'list',
    data: [
      {
        user_id: id(1),
        email: 'ann@example.com',
        name: 'Ann',
        role: 'owner',
        may_grade: true,
        joined_at: at,
        last_seen_at: at,
        active_keys: 1,
      },
      {
        user_id: id(7),
        email: 'bob@example.com',
        name: 'Bob',
        role: 'member',
        may_grade: true,
        joined_at: at,
        last_seen_at: null,
        active_keys: 2,
      },
    ],
  },
  'GET /api/w/demo/invitations': {
    object: 'list',
    data: [
      {
        id: id(8),
        email: 'carol@example.com',
        role: 'admin',
        may_grade: false,
        invited_by: 'Ann',
        created_at: at,
        expires_at: later,
      },
    ],
  },
  'GET /api/w/demo/audit': {
    object: 'list',
    data: [
      {
        id: id(9),
        at,
        action: 'settings.changed',
        actor: { id: id(1), name: 'Ann', email: 'ann@example.com' },
        key_id: null,
        subject: 'logging',
        before: { enabled: false },
        after: { enabled: true },
        request_id: 'req_1',
      },
    ],
    has_more: false,
  },
}
