import type { ReactNode } from 'react'
import { useWorkspaceSlug } from '../../api/use-slug.ts'
import { pagesBelow, TabLinks } from '../../kit/tab-links.tsx'

const pages = [
  ['', 'Agents'],
  ['/calls', 'Calls'],
] as const

/** The pages of voice agents. */
export function VoiceTabs(): ReactNode {
  return <TabLinks label="Voice" pages={pagesBelow(`/w/${useWorkspaceSlug()}/voice`, pages)} isInside />
}
