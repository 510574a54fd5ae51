import { createRoute } from '@tanstack/react-router'
import { z } from 'zod'
import { defineFeature } from '../../app/feature.ts'
import { lazyPage } from '../../app/lazy-page.ts'
import { workspaceRoute } from '../../app/parent-routes.tsx'
import { searchNamed, searchOf } from '../../app/search.ts'

const tracesRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/traces',
  validateSearch: searchNamed('start', 'end', 'tag', 'segment', 'model', 'min_steps', 'limit', 'offset', 'after'),
  component: lazyPage(() => import('./traces-page.tsx').then((module) => module.TracesPage)),
})

const traceRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/traces/$id',
  validateSearch: searchOf(z.strictObject({ step: z.string().optional(), judge: z.string().optional() })),
  component: lazyPage(() => import('./trace-page.tsx').then((module) => module.TracePage)),
})

export const tracesFeature = defineFeature({
  routes: [tracesRoute, traceRoute],
  rail: { label: 'Traces', path: 'traces', icon: 'traces', jump: 't', order: 30 },
})
