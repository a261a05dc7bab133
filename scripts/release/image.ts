import { assemble, main } from './assemble.ts';

/** `make image`: builds the image and leaves it with podman. */
await main(() => assemble(({ image }) => console.log(image)));
