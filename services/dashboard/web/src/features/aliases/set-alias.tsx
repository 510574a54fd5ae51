import { listAliases } from '@ratchet/contracts/aliases'
import { listModels } from '@ratchet/contracts/models'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useWorkspaceSlug } from '../../api/use-slug.ts'
import { usePaletteItems } from '../../shell/palette-store.ts'
import { aliasSettings } from './set-alias-items.ts'

/** `set alias support to sim/large`: opens the routing of the alias with this target, to be compared and saved there. */
export function SetAlias({ query }: { readonly query: string }): null {
  const slug = useWorkspaceSlug()
  const navigate = useNavigate()
  const enabled = /^\s*set/i.test(query)
  const aliases = useEndpoint(listAliases, { query: { limit: 200 } }, { enabled, topics: ['aliases'] }).data?.data
  const models = useEndpoint(listModels, {}, { enabled }).data?.data
  const items = useMemo(
    () =>
      aliasSettings(query, aliases ?? [], models ?? []).map(({ name, model }) => ({
        id: `set:${name}:${model}`,
        label: `Set alias ${name} to ${model}`,
        group: 'Aliases',
        run: () =>
          void navigate({
            to: '/w/$slug/aliases/$name/routing',
            params: { slug, name },
            search: { target_model: model },
          }),
      })),
    [query, aliases, models, navigate, slug],
  )
  usePaletteItems(items)
  return null
}
