import { createRoute } from '@tanstack/react-router'
import { defineFeature } from '../../app/feature.ts'
import { lazyPage } from '../../app/lazy-page.ts'
import { workspaceRoute } from '../../app/parent-routes.tsx'
import { searchNamed } from '../../app/search.ts'
import { gradingCommands } from './grading-commands.ts'
import { WaitingBadge } from './waiting-badge.tsx'

const roundsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/review',
  validateSearch: searchNamed('criterion_id', 'new'),
  component: lazyPage(() => import('./rounds/rounds-page.tsx').then((module) => module.RoundsPage)),
})

const adjudicateRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/review/adjudicate',
  validateSearch: searchNamed('criterion_id'),
  component: lazyPage(() => import('./people/adjudicate-page.tsx').then((module) => module.AdjudicatePage)),
})

const gradersRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/review/graders',
  validateSearch: searchNamed('criterion_id'),
  component: lazyPage(() => import('./people/graders-page.tsx').then((module) => module.GradersPage)),
})

const gradingRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/review/$round',
  component: lazyPage(() => import('./grading/grading-page.tsx').then((module) => module.GradingPage)),
})

export const reviewFeature = defineFeature({
  routes: [roundsRoute, adjudicateRoute, gradersRoute, gradingRoute],
  rail: { label: 'Review', path: 'review', icon: 'review', jump: 'r', order: 400, Badge: WaitingBadge },
  commands: gradingCommands,
})
