import './policy.ts'
import './styles.ts'
import { RouterProvider } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import { Providers } from './app/providers.tsx'
import { router } from './app/router.tsx'

const root = document.getElementById('root')
if (root === null) throw new Error('The page has no root element.')
// The file of the page is loaded while the server is asked who is signed in.
const [matched] = router.getMatchedRoutes(window.location.pathname)
for (const { options } of matched) {
  void (options.component as { readonly preload?: () => unknown } | undefined)?.preload?.()
}
createRoot(root).render(
  <Providers>
    <RouterProvider router={router} />
  </Providers>,
)
