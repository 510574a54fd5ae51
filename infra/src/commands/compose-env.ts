import { newSecrets } from '../new-secrets.ts'

/* Prints the secrets that docker-compose.yml and k8s/ want: `npm run --silent compose:env > .env`. */
for (const [name, value] of Object.entries(newSecrets())) console.log(`${name}=${value}`)
