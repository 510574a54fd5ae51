import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compression } from 'vite-plugin-compression2'
import { firstLoad } from './build/first-load.ts'
import { sizeBudget } from './build/size-budget.ts'
import { firstPage } from './build/sizes.ts'

/** `--mode gallery` builds the page that shows every part, which only tests open. */
export default defineConfig(({ mode }) => {
  const isGallery = mode === 'gallery'
  const compressed = { algorithms: ['gzip', 'brotliCompress'], include: /\.(js|css|svg)$/, threshold: 512 } as const
  return {
    plugins: [
      react(),
      ...(isGallery
        ? []
        : [
            firstLoad({ page: firstPage, calls: ['/api/me'] }),
            sizeBudget(),
            compression({ ...compressed, algorithms: [...compressed.algorithms] }),
          ]),
    ],
    build: {
      outDir: isGallery ? 'dist-gallery' : 'dist',
      modulePreload: { polyfill: false },
      // A data address of a font or a script would be refused by the content security policy.
      assetsInlineLimit: 0,
      target: 'es2023',
      chunkSizeWarningLimit: 1_000,
      rolldownOptions: {
        input: isGallery ? 'gallery.html' : 'index.html',
        // Schemas of contracts lie in shared files, which run before the entry. In one file with zod, the policy runs first.
        output: {
          codeSplitting: {
            groups: [
              { name: 'policy', test: /\/src\/policy\.ts$|\/node_modules\/(?:zod|get-nonce)\//, priority: 2 },
              // One file for the entry: a browser asks for six at a time, and has dozens of small ones otherwise.
              { name: 'first', tags: ['$initial'], priority: 1 },
            ],
          },
        },
      },
    },
  }
})
