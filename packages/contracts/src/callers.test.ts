import { type CallerName, type CallUse, callerNames, mayCall } from './callers.ts'
import { capturesRule } from './captured-exchange.ts'
import { operationName } from './endpoint.ts'
import { endpoints } from './endpoints.ts'
import { Purpose } from './identity.ts'
import { internalEndpoints } from './internal-endpoints.ts'

const all = [...endpoints, ...internalEndpoints]
const uses: readonly CallUse[] = [
  {},
  ...Purpose.options.map((purpose) => ({ purpose })),
  { channel: 'voice' },
  { channel: 'batch' },
]

function callsOf(caller: CallerName): readonly string[] {
  const allowed = all.flatMap((endpoint) =>
    uses
      .filter((use) => mayCall(caller, endpoint, use))
      .map((use) => `${operationName(endpoint)} ${use.purpose ?? use.channel ?? '-'}`),
  )
  return allowed.filter((call) => !(caller === 'edge' && call.endsWith(' -'))).toSorted()
}

it('lets the edge call every public endpoint, without a purpose, and no internal one', () => {
  const forUsers = all.filter((endpoint) => mayCall('edge', endpoint, {}))
  expect(forUsers).toEqual(endpoints)
  expect(callsOf('edge')).toEqual([])
})

it.each<[CallerName, readonly string[]]>([
  [
    'inference',
    ['POST /internal/alias/traffic -', 'POST /internal/webhooks/events -', 'POST /internal/segments/find -'],
  ],
  [
    'logging',
    [
      'GET /internal/alias/progress -',
      'GET /internal/eval/dataset-readers -',
      'GET /internal/eval/progress -',
      'GET /internal/judging/progress -',
      'GET /internal/training/data-readers -',
      'GET /v1/evals/:id -',
      'GET /v1/evals/:id/samples -',
      'POST /internal/judging/log-verdicts -',
    ],
  ],
  [
    'judging',
    [
      'POST /v1/chat/completions assist',
      'POST /v1/chat/completions judge',
      ...readsOf('judging', ['GET /v1/models/*id', 'GET /v1/logs/:id', 'GET /internal/alias/gates']),
      ...readsOf('judging', [
        'GET /internal/exchanges/fresh',
        'POST /internal/exchanges/sample',
        'POST /internal/exchanges/present',
        'POST /internal/feedback/read',
      ]),
      ...readsOf('judging', ['POST /internal/traces/draw', 'POST /internal/traces/read', 'GET /internal/traces/quiet']),
      ...readsOf('judging', ['POST /internal/redactions', 'POST /internal/webhooks/events']),
      ...readsOf('judging', ['POST /internal/calls/conversation']),
      ...readsOf('judging', ['GET /internal/grpo/criterion-runs', 'POST /internal/grpo/grades']),
    ],
  ],
  [
    'eval',
    [
      ...['/v1/chat/completions', '/v1/completions', '/v1/embeddings', '/v1/moderations', '/v1/responses'].flatMap(
        (path) => ['eval', 'judge', 'batch'].map((use) => `POST ${path} ${use}`),
      ),
      ...readsOf('eval', ['GET /v1/files/:id', 'GET /v1/files/:id/content', 'POST /internal/files/:file_id/pieces']),
      ...readsOf('eval', ['POST /internal/batch_quotes', 'POST /internal/batch_holds']),
      ...readsOf('eval', ['POST /internal/batch_holds/:hold_id/release']),
      ...readsOf('eval', ['GET /v1/models/*id', 'GET /v1/logs/:id', 'GET /v1/datasets/:id']),
      ...readsOf('eval', ['GET /v1/datasets/:id/examples', 'GET /v1/criteria/:id', 'POST /internal/exchanges/present']),
      ...readsOf('eval', [
        'POST /internal/exchanges/sample',
        'POST /internal/prompts/sample',
        'POST /internal/traces/sample',
      ]),
      ...readsOf('eval', ['POST /internal/traces/draw', 'POST /internal/traces/read']),
      ...readsOf('eval', ['POST /internal/webhooks/events', 'GET /internal/wallet']),
      ...readsOf('eval', ['POST /internal/judging/eval-judges']),
    ],
  ],
  [
    'alias',
    [
      'POST /v1/chat/completions shadow',
      ...readsOf('alias', ['GET /v1/models/*id', 'GET /v1/logs/:id', 'GET /internal/exchanges/fresh']),
      ...readsOf('alias', ['GET /internal/catalog/names/:name', 'GET /internal/eval/evidence']),
      ...readsOf('alias', ['GET /internal/training/version-facts', 'GET /internal/training/checked-evals']),
      ...readsOf('alias', ['GET /internal/judging/gate-judges/:id', 'POST /internal/judging/gate-judgements']),
      ...readsOf('alias', ['POST /internal/judging/gate-verdicts', 'POST /internal/traces/read']),
    ],
  ],
  [
    'voice',
    [
      'GET /internal/judging/gate-judges/:id -',
      'POST /internal/judging/gate-judgements -',
      'POST /internal/judging/gate-verdicts -',
      'POST /internal/traces/read -',
      'POST /internal/alias/splits/weigh -',
      'POST /internal/webhooks/events -',
      'POST /v1/chat/completions voice',
      'GET /internal/wallet -',
      'POST /internal/call_holds -',
      'POST /internal/call_holds/checkpoints -',
      'POST /internal/call_holds/:hold_id/release -',
      'POST /internal/call_holds/:hold_id/settle -',
      'POST /internal/charges/read -',
    ],
  ],
  [
    'dashboard',
    [
      'GET /internal/credits -',
      'GET /internal/ledger_audits -',
      'GET /internal/providers -',
      'POST /internal/corrections -',
      'POST /internal/credits -',
      'POST /internal/payments/:provider -',
    ],
  ],
])('lets %s call only what it needs', (caller, expected) => {
  expect(callsOf(caller)).toEqual(expected.toSorted())
})

it('lets only inference send captured exchanges', () => {
  expect(callerNames.filter((name) => uses.some((use) => mayCall(name, capturesRule, use)))).toEqual(['inference'])
})

/** Calls that cost nothing may have any purpose of the caller, or none. */
function readsOf(caller: 'judging' | 'eval' | 'alias', operations: readonly string[]): readonly string[] {
  const purposes = { judging: ['judge', 'assist'], eval: ['eval', 'judge'], alias: ['shadow'] }[caller]
  return operations.flatMap((operation) => ['-', ...purposes].map((use) => `${operation} ${use}`))
}
