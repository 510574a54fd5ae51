import { useMantineColorScheme } from '@mantine/core'
import { readPreferences } from '@ratchet/contracts/dashboard/account'
import { type ReactNode, useEffect } from 'react'
import { useEndpoint } from '../api/use-endpoint.ts'
import { KeyProvider } from '../keys/key-provider.tsx'
import { useAllCommands } from './use-features.ts'

const standard = { single_keys: true, shortcuts: {} }

/** The keys of all features with the changes of the person, and the colours that the person chose on any device. */
export function ShellKeys({ children }: { readonly children: ReactNode }): ReactNode {
  const commands = useAllCommands()
  const { data } = useEndpoint(readPreferences)
  const { setColorScheme } = useMantineColorScheme()
  const theme = data?.theme
  useEffect(() => {
    if (theme !== undefined && theme !== 'auto') setColorScheme(theme)
  }, [theme])
  return (
    <KeyProvider commands={commands} preferences={data ?? standard}>
      {children}
    </KeyProvider>
  )
}
