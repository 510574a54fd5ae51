import { createRoute } from '@tanstack/react-router'
import { defineFeature } from '../../app/feature.ts'
import { lazyPage } from '../../app/lazy-page.ts'
import { workspaceRoute } from '../../app/parent-routes.tsx'
import { searchOf } from '../../app/search.ts'
import { FailureSearch } from './search.ts'

const failuresRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/logs/failures',
  validateSearch: searchOf(FailureSearch),
  component: lazyPage(() => import('./failures-page.tsx').then((module) => module.FailuresPage)),
})

export const failuresFeature = defineFeature({
  routes: [failuresRoute],
  rail: { label: 'Failures', path: 'logs/failures', icon: 'failures', jump: 'f', order: 30 },
})
