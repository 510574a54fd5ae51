// Who may import whom. The rules for files inside a service go by the role that the file's name says.

/** Workspace packages that each package may import. `testing` and `simulated-provider` are added for tests everywhere. */
const allowedPackages = {
  'packages/contracts': [],
  'packages/stats': [],
  'packages/audio': [],
  'packages/sip': ['audio'],
  'packages/telemetry': [],
  'packages/db': [],
  'packages/redaction': ['contracts'],
  'packages/http': [],
  'packages/service-kit': ['contracts', 'telemetry', 'http'],
  'packages/work-kit': ['contracts', 'db', 'http', 'service-kit', 'telemetry'],
  'packages/judge-kit': ['contracts', 'http', 'service-kit'],
  'packages/testing': ['audio', 'contracts', 'db', 'service-kit', 'stats', 'telemetry'],
  'packages/simulated-provider': ['testing'],
  'packages/cli': ['contracts', 'db', 'http', 'service-kit'],
  'services/dashboard/web': ['contracts', 'stats'],
  'services/(?!dashboard/web/)[^/]+': [
    'audio',
    'contracts',
    'db',
    'http',
    'judge-kit',
    'redaction',
    'service-kit',
    'sip',
    'stats',
    'telemetry',
    'work-kit',
  ],
  infra: [
    'cli',
    'contracts',
    'db',
    'http',
    'service-kit',
    'simulated-provider',
    'stats',
    'telemetry',
    'testing',
    'work-kit',
  ],
  'test-e2e': ['audio', 'contracts', 'db', 'service-kit', 'simulated-provider', 'sip', 'stats', 'testing'],
  bench: ['contracts', 'db', 'service-kit', 'simulated-provider', 'testing'],
}

/** Tests, and what only tests use: fixtures, contract tests, the crash harness of the ledger and the bench of calls. */
const testFile =
  '\\.(test|fixture|contract)\\.ts$|^services/[^/]+/(?:crash|bench)/|^services/dashboard/web/src/gallery/'
const testPackages = ['testing', 'simulated-provider']

/** Files of a service that put it together. */
const compositionRoot = '^services/[^/]+/src/(main|worker|start[a-z-]*)\\.ts$'

const packageRules = Object.entries(allowedPackages).map(([folder, allowed]) => ({
  name: `packages-of-${folder.replace(/\W+/g, '-')}`,
  comment: `May import these packages of ours: ${allowed.join(', ') || 'none'}.`,
  severity: 'error',
  from: { path: `^${folder}/`, pathNot: testFile },
  to: {
    path: '^packages/',
    pathNot: [
      ...allowed.map((name) => `^packages/${name}/`),
      ...(folder.startsWith('packages/') ? [`^${folder}/`] : []),
    ],
  },
}))

/** A rule for shipped files of services; files whose path matches `except` are free. */
function serviceRule({ name, comment, except, to }) {
  return { name, comment, severity: 'error', from: { path: '^services/', pathNot: [testFile, ...except] }, to }
}

const fileOf = (names) => `/(${names})\\.ts$`

export default {
  forbidden: [
    ...packageRules,
    {
      name: 'tests-of-packages',
      comment: 'Tests may import what the package itself may, and the test packages.',
      severity: 'error',
      from: { path: `^(packages/(contracts|stats|http|telemetry|db)/).*(${testFile})` },
      to: {
        path: '^packages/',
        pathNot: [
          '$1',
          ...testPackages.map((name) => `^packages/${name}/`),
          '^packages/(contracts|db|http|telemetry)/',
        ],
      },
    },
    {
      name: 'service-to-service',
      comment: 'Services talk over HTTP; none imports another.',
      severity: 'error',
      from: { path: '^services/([^/]+)/' },
      to: { path: '^services/', pathNot: '^services/$1/' },
    },
    {
      name: 'pages-to-server',
      comment: 'The pages of the dashboard reach its server over HTTP only.',
      severity: 'error',
      from: { path: '^services/dashboard/web/' },
      to: { path: '^services/dashboard/(?!web/)' },
    },
    {
      name: 'server-to-pages',
      comment: 'The server of the dashboard reads its pages as built files.',
      severity: 'error',
      from: { path: '^(services/dashboard/(?!web/)|infra|test-e2e|bench)' },
      to: { path: '^services/dashboard/web/' },
    },
    {
      name: 'services-through-start',
      comment: 'What runs a service imports its start function and nothing else of it.',
      severity: 'error',
      from: { path: '^(infra|test-e2e|bench|packages)/' },
      to: { path: '^services/', pathNot: '^services/[^/]+/src/start(|-worker)\\.ts$' },
    },
    {
      name: 'relative-imports-stay-inside',
      comment: 'Another package is imported by its name.',
      severity: 'error',
      from: { path: '^((?:packages|services)/[^/]+|infra|test-e2e|bench)/' },
      to: { dependencyTypes: ['local'], dependencyTypesNot: ['npm', 'aliased-workspace'], pathNot: '^$1/' },
    },
    {
      name: 'not-to-tests',
      comment: 'Only tests may import what is made for tests.',
      severity: 'error',
      from: { pathNot: [testFile, '^(test-e2e|bench)/'] },
      to: { path: testFile },
    },
    {
      name: 'not-to-composition-root',
      comment: 'Only the composition root puts a service together.',
      severity: 'error',
      from: { path: '^services/', pathNot: [testFile, compositionRoot] },
      to: { path: compositionRoot },
    },
    {
      name: 'outbound',
      comment: 'Connections to the outside go through packages/http, which guards them.',
      severity: 'error',
      from: {
        path: '^(services|packages)/',
        pathNot: [
          testFile,
          '^packages/(http|testing|simulated-provider)/',
          // To our own services, at addresses that the operator sets.
          '^services/edge/src/forward[a-z]*/',
          // Takes WebSockets of clients, and opens none.
          '^services/edge/src/sockets/open-sockets[.]ts$',
          '^services/voice/src/media/media-upgrades[.]ts$',
          '^services/voice/src/stream/stream-upgrades[.]ts$',
          // To the bucket that the operator sets; see role-s3.
          '/s3-[a-z-]+[.]ts$',
        ],
      },
      to: {
        path: '(^|/)node_modules/(undici|axios|got|ky|needle|node-fetch|superagent|ws|follow-redirects|http-proxy|http-proxy-middleware|http-proxy-3|openai|@(openai|anthropic-ai|google|aws-sdk|azure|mistralai)/[^/]+)/',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'no-cycles',
      comment: 'Two files that need each other are one file, or a type lies in the wrong one.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'unresolved',
      comment: 'The imported file or package does not exist.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    serviceRule({
      name: 'role-routes',
      comment:
        'Only routes.ts and app.ts use express and mount endpoints; the edge and the request pipeline are made of it.',
      except: [
        fileOf('routes|[a-z-]+-routes|app'),
        compositionRoot,
        '^services/edge/',
        '^services/inference/src/request/',
      ],
      to: { path: ['(^|/)node_modules/(@types/)?express/', '^packages/service-kit/src/(http/)?mount'] },
    }),
    serviceRule({
      name: 'role-store',
      comment: 'Only pg-*.ts and the composition root touch the database.',
      except: [fileOf('pg-[a-z-]+'), compositionRoot],
      to: { path: ['^packages/db/', '(^|/)node_modules/pg/'] },
    }),
    serviceRule({
      name: 'prisma-by-workspace',
      comment: "Services have Prisma's client from createWorkspaceClients, which restricts it to a workspace.",
      except: [],
      to: { path: ['^packages/db/src/(connect|ownership|operator)\\.ts$', '(^|/)node_modules/@prisma/'] },
    }),
    serviceRule({
      name: 'role-adapters',
      comment:
        'Only the composition root chooses the Postgres, ClickHouse, Redis and S3 parts; others receive them as arguments.',
      except: [
        '^services/inference/src/rate-limits/rate-limiter\\.ts$',
        fileOf('(pg|clickhouse|redis|s3)-[a-z-]+'),
        compositionRoot,
      ],
      to: { path: fileOf('(pg|clickhouse|redis|s3)-[a-z-]+'), dependencyTypesNot: ['type-only'] },
    }),
    serviceRule({
      name: 'role-queue',
      comment: 'Only run.ts, *-worker.ts and the composition root consume a queue.',
      except: [fileOf('run|[a-z-]+-run|[a-z-]+-worker'), compositionRoot],
      to: { path: ['(^|/)node_modules/bullmq/', '^packages/work-kit/src/queue/queue\\.ts$'] },
    }),
    serviceRule({
      name: 'role-clickhouse',
      comment: 'Only clickhouse-*.ts talks to ClickHouse, at the address that the operator sets.',
      except: [fileOf('clickhouse-[a-z-]+')],
      to: { path: '(^|/)node_modules/@clickhouse/' },
    }),
    serviceRule({
      name: 'role-s3',
      comment: 'Only s3-*.ts talks to a bucket, at the address that the operator sets.',
      except: [fileOf('s3-[a-z-]+')],
      to: { path: '(^|/)node_modules/@aws-sdk/' },
    }),
    {
      name: 'file-names',
      comment: 'File names use the words of docs/vocabulary.md.',
      severity: 'error',
      from: {},
      to: {
        path: '[/-](tell|told|wanted|bell|patience|keepers?|setback|fate|twins?|poison(ed)?|whoever|nobody|somebody|everybody|strangers?|neighbours?|mishap|books|stepper|doorbell|door|passage|mend|spoil|dearest|forget)[-.][^/]*$',
        pathNot: 'node_modules',
      },
    },
    serviceRule({
      name: 'role-redis',
      comment: 'Only redis-*.ts and the composition root talk to Redis.',
      except: [fileOf('redis-[a-z-]+'), compositionRoot],
      to: { path: '(^|/)node_modules/ioredis/' },
    }),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['/generated/', '^bench/results/', '^services/dashboard/web/dist'] },
    parser: 'swc',
    tsPreCompilationDeps: true,
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json', '.css'],
    },
  },
}
