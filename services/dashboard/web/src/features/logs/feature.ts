import { createRoute } from '@tanstack/react-router'
import { defineFeature } from '../../app/feature.ts'
import { lazyPage } from '../../app/lazy-page.ts'
import { workspaceRoute } from '../../app/parent-routes.tsx'
import { searchOf } from '../../app/search.ts'
import { LogSearch } from './search.ts'

const logsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/logs',
  validateSearch: searchOf(LogSearch),
  component: lazyPage(() => import('./logs-page.tsx').then((module) => module.LogsPage)),
})

export const logsFeature = defineFeature({
  routes: [logsRoute],
  rail: { label: 'Logs', path: 'logs', icon: 'logs', jump: 'l', order: 20 },
  commands: [
    { id: 'log.verdicts', keys: 'v', label: 'Show the verdicts of the entry', group: 'Logs' },
    { id: 'log.trace', keys: 't', label: 'Open the trace of the entry', group: 'Logs' },
  ],
})
