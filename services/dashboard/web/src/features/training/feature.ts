import { createRoute } from '@tanstack/react-router'
import { defineFeature } from '../../app/feature.ts'
import { lazyPage } from '../../app/lazy-page.ts'
import { workspaceRoute } from '../../app/parent-routes.tsx'
import { searchNamed } from '../../app/search.ts'

const startRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/training',
  component: lazyPage(() => import('./training-start.tsx').then((module) => module.TrainingStart)),
})

const listRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/training/jobs',
  validateSearch: searchNamed('status', 'model'),
  component: lazyPage(() => import('./jobs/jobs-page.tsx').then((module) => module.JobsPage)),
})

const newRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/training/jobs/new',
  validateSearch: searchNamed('model', 'dataset_id'),
  component: lazyPage(() => import('./new/new-job-page.tsx').then((module) => module.NewJobPage)),
})

const jobRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/training/jobs/$id',
  component: lazyPage(() => import('./job/job-page.tsx').then((module) => module.JobPage)),
})

const toolsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/training/tools',
  component: lazyPage(() => import('./tools/tools-page.tsx').then((module) => module.ToolsPage)),
})

const toolRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/training/tools/$id',
  component: lazyPage(() => import('./tools/tool-page.tsx').then((module) => module.ToolPage)),
})

const raftRoutes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: '/training/raft',
    component: lazyPage(() => import('./raft/rounds-page.tsx').then((module) => module.RoundsPage)),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: '/training/raft/new',
    validateSearch: searchNamed('round_id'),
    component: lazyPage(() => import('./raft/new-round-page.tsx').then((module) => module.NewRoundPage)),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: '/training/raft/$id',
    component: lazyPage(() => import('./raft/round-page.tsx').then((module) => module.RoundPage)),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: '/training/raft/$id/audit',
    component: lazyPage(() => import('./raft/round-audit-page.tsx').then((module) => module.RoundAuditPage)),
  }),
] as const

const runRoutes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: '/training/runs',
    validateSearch: searchNamed('status'),
    component: lazyPage(() => import('./runs/runs-page.tsx').then((module) => module.RunsPage)),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: '/training/runs/new',
    component: lazyPage(() => import('./runs/new-run-page.tsx').then((module) => module.NewRunPage)),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: '/training/runs/$id',
    component: lazyPage(() => import('./runs/run-page.tsx').then((module) => module.RunPage)),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: '/training/runs/$id/rollouts',
    validateSearch: searchNamed('kind', 'sort', 'step', 'n'),
    component: lazyPage(() => import('./runs/rollouts-page.tsx').then((module) => module.RolloutsPage)),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: '/training/runs/$id/audit',
    validateSearch: searchNamed('step'),
    component: lazyPage(() => import('./runs/audit-page.tsx').then((module) => module.AuditPage)),
  }),
] as const

const versionsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/training/versions',
  validateSearch: searchNamed('status', 'base_model', 'produced_by'),
  component: lazyPage(() => import('./versions/versions-page.tsx').then((module) => module.VersionsPage)),
})

const versionRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/training/versions/$id',
  component: lazyPage(() => import('./versions/version-page.tsx').then((module) => module.VersionPage)),
})

const endpointRoutes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: '/training/endpoints',
    component: lazyPage(() => import('./endpoints/endpoints-page.tsx').then((module) => module.EndpointsPage)),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: '/training/endpoints/new',
    validateSearch: searchNamed('version_id'),
    component: lazyPage(() => import('./endpoints/new-endpoint-page.tsx').then((module) => module.NewEndpointPage)),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: '/training/endpoints/$id',
    validateSearch: searchNamed('window'),
    component: lazyPage(() => import('./endpoints/endpoint-page.tsx').then((module) => module.EndpointPage)),
  }),
] as const

export const trainingFeature = defineFeature({
  routes: [
    startRoute,
    listRoute,
    newRoute,
    jobRoute,
    versionsRoute,
    versionRoute,
    toolsRoute,
    toolRoute,
    ...runRoutes,
    ...raftRoutes,
    ...endpointRoutes,
  ],
  rail: { label: 'Training', path: 'training/jobs', icon: 'training', jump: 'n', order: 850 },
  commands: [
    { id: 'job.pause', keys: 'p', label: 'Pause or resume what is trained', group: 'A job or run', actsOnce: true },
  ],
})
