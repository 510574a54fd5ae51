import { Spotlight, type SpotlightActionGroupData, spotlight } from '@mantine/spotlight'
import '@mantine/spotlight/styles.css'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useContext, useEffect, useState } from 'react'
import { useWorkspaceSlug } from '../api/use-slug.ts'
import { KeyContext } from '../keys/key-context.ts'
import { Icon } from '../kit/icon.tsx'
import { KeyCaps } from '../kit/key-caps.tsx'
import { usePalette } from './palette-store.ts'
import { addressOfEntry, railEntriesOf } from './rail-entries.ts'
import { useFeatures } from './use-features.ts'

/** Everything that can be opened or done here, by name. */
export function Palette(): ReactNode {
  const { opened } = usePalette()
  useEffect(() => {
    if (opened > 0) spotlight.open()
  }, [opened])
  const [query, setQuery] = useState('')
  const parts = useFeatures().flatMap(({ PalettePart }) => PalettePart ?? [])
  const actions = [...usePages(), ...useThings(), useCommands()].filter(({ actions: group }) => group.length > 0)
  return (
    <>
      {parts.map((Part, index) => (
        <Part key={index} query={query} />
      ))}
      <Spotlight
        query={query}
        onQueryChange={setQuery}
        actions={actions}
        shortcut={null}
        highlightQuery
        limit={30}
        nothingFound="Nothing has this name."
        searchProps={{ placeholder: 'Page or action', 'aria-label': 'Page or action' }}
        scrollable
        maxHeight={380}
      />
    </>
  )
}

function usePages(): SpotlightActionGroupData[] {
  const navigate = useNavigate()
  const slug = useWorkspaceSlug()
  const pages = railEntriesOf(useFeatures()).map((entry) => ({
    id: `page:${entry.path}`,
    label: entry.label,
    leftSection: <Icon name={entry.icon} />,
    onClick: () => void navigate({ to: addressOfEntry(entry, slug) }),
  }))
  const account = { id: 'page:account', label: 'Account and keys', leftSection: <Icon name="user" /> }
  return [{ group: 'Pages', actions: [...pages, { ...account, onClick: () => void navigate({ to: '/account' }) }] }]
}

function useThings(): SpotlightActionGroupData[] {
  const { items } = usePalette()
  return [...new Set(items.map(({ group }) => group))].map((group) => ({
    group,
    actions: items.filter((item) => item.group === group).map(({ id, label, run }) => ({ id, label, onClick: run })),
  }))
}

/** Commands that the page handles now, with their keys. */
function useCommands(): SpotlightActionGroupData {
  const { bindings, isHandled, run } = useContext(KeyContext)
  const usable = bindings.filter(({ id }) => id !== 'palette' && !id.startsWith('jump.') && isHandled(id))
  return {
    group: 'Actions',
    actions: usable.map(({ id, label, active }) => ({
      id: `command:${id}`,
      label,
      rightSection: active === null ? null : <KeyCaps keys={active} />,
      onClick: () => run(id),
    })),
  }
}
