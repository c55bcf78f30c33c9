import { defineConfig } from "vitest/config";

// Tests of the whole page in a real browser; tests/ui/web/test_browser.py starts what they look at.
export default defineConfig({
  test: {
    include: ["tests/browser/*.browser.ts"],
    // Long enough for a machine that does much else: what is tested is what happens, not when.
    testTimeout: 240_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
