import { createRouter } from '@tanstack/react-router'
import { NotFound } from '../kit/states/not-found.tsx'
import { PageFailed } from '../kit/states/page-failed.tsx'
import { PageSkeleton } from '../kit/states/skeletons.tsx'
import { queries } from './queries.ts'
import { routeTree } from './route-tree.ts'
import { parseSearch, stringifySearch } from './search.ts'

export const router = createRouter({
  routeTree,
  context: { queries },
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultPendingMs: 150,
  defaultPendingMinMs: 0,
  defaultErrorComponent: PageFailed,
  defaultNotFoundComponent: NotFound,
  defaultPendingComponent: PageSkeleton,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
