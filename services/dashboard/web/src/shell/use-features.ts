import { createContext, useContext, useMemo } from 'react'
import type { Feature } from '../app/feature.ts'
import { commonCommands, type KeyCommand } from '../keys/commands.ts'
import { jumpCommandsOf, railEntriesOf } from './rail-entries.ts'

/**
 * The features of the app. They arrive through the context instead of an import: features import the routes of the shell, which
 * would otherwise import them.
 */
export const FeaturesContext = createContext<readonly Feature[]>([])

export function useFeatures(): readonly Feature[] {
  return useContext(FeaturesContext)
}

/** Every command of the app: of all pages, of the rail, of features. */
export function useAllCommands(): readonly KeyCommand[] {
  const features = useFeatures()
  return useMemo(
    () => [
      ...commonCommands,
      ...jumpCommandsOf(railEntriesOf(features)),
      ...features.flatMap(({ commands = [] }) => commands),
    ],
    [features],
  )
}
