import { useNavigate } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useWorkspaceSlug } from '../api/use-slug.ts'
import type { RailEntry } from '../app/feature.ts'
import { useKey } from '../keys/key-context.ts'
import { toast } from '../kit/toast.tsx'
import { openPalette } from './palette-store.ts'
import { addressOfEntry, jumpCommandsOf, railEntriesOf } from './rail-entries.ts'
import { useFeatures } from './use-features.ts'

const KeySheet = lazy(async () => ({ default: (await import('./key-sheet.tsx')).KeySheet }))

/** The keys that work on every page. */
export function CommonKeys(): ReactNode {
  const [showsKeys, setShowsKeys] = useState(false)
  useKey('palette', openPalette)
  useKey('keys', () => setShowsKeys(true))
  useKey('copy-link', () => {
    void navigator.clipboard?.writeText(window.location.href)
    toast('The link to this page is copied.')
  })
  const entries = railEntriesOf(useFeatures())
  return (
    <>
      {entries.map((entry) => (
        <JumpKey key={entry.path} entry={entry} />
      ))}
      {showsKeys && (
        <Suspense>
          <KeySheet onClose={() => setShowsKeys(false)} />
        </Suspense>
      )}
    </>
  )
}

function JumpKey({ entry }: { readonly entry: RailEntry }): ReactNode {
  const navigate = useNavigate()
  const slug = useWorkspaceSlug()
  const [command] = jumpCommandsOf([entry])
  useKey(command?.id ?? '', () => void navigate({ to: addressOfEntry(entry, slug) }))
  return null
}
