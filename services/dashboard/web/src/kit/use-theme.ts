import { useMantineColorScheme } from '@mantine/core'
import type { Preferences } from '@ratchet/contracts/dashboard/account'
import { usePreferences } from '../api/use-preferences.ts'

export const themeChoices = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'auto', label: 'Like the system' },
] as const

/** Light or dark: on this device at once, and on others from their next visit. */
export function useTheme() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const { change, error } = usePreferences()
  const choose = (theme: Preferences['theme']) => {
    setColorScheme(theme)
    change({ theme })
  }
  return { theme: colorScheme, choose, error }
}
