import '../policy.ts'
import '../styles.ts'
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import { Providers } from '../app/providers.tsx'
import { GalleryPage } from './gallery-page.tsx'

/** Every part in all its states. It is built for tests only, and needs no server. */
const root = document.getElementById('root')
if (root === null) throw new Error('The page has no root element.')
const routeTree = createRootRoute({ component: GalleryPage })
const router = createRouter({ routeTree, history: createMemoryHistory() })
createRoot(root).render(
  <Providers>
    <RouterProvider router={router as never} />
  </Providers>,
)
