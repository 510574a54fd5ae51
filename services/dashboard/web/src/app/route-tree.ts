import { accountRoutes } from '../features/account/routes.ts'
import { adminRoutes } from '../features/admin/routes.ts'
import { entryRoutes } from '../features/entry/routes.ts'
import { features } from './features.ts'
import { rootRoute, workspaceRoute } from './parent-routes.tsx'

const workspaceRoutes = features.flatMap(({ routes }) => [...routes])

export const routeTree = rootRoute.addChildren([
  ...entryRoutes,
  ...accountRoutes,
  ...adminRoutes,
  workspaceRoute.addChildren(workspaceRoutes),
])
