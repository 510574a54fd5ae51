import { createRoute } from '@tanstack/react-router'
import { z } from 'zod'
import { defineFeature } from '../../app/feature.ts'
import { lazyPage } from '../../app/lazy-page.ts'
import { workspaceRoute } from '../../app/parent-routes.tsx'
import { searchOf } from '../../app/search.ts'

const segmentsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/segments',
  component: lazyPage(() => import('./segments-page.tsx').then((module) => module.SegmentsPage)),
})

const segmentRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/segments/$id',
  validateSearch: searchOf(z.strictObject({ variant: z.string().optional(), with: z.string().optional() })),
  component: lazyPage(() => import('./segment-page.tsx').then((module) => module.SegmentPage)),
})

export const segmentsFeature = defineFeature({
  routes: [segmentsRoute, segmentRoute],
  rail: { label: 'Segments', path: 'segments', icon: 'segments', jump: 'm', order: 40 },
})
