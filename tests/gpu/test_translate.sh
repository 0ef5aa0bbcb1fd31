#!/bin/sh
# The step from CUDA C to C++ (gpu/emulator/translate.awk): launches, shared memory, and everything else left as it is.
# SPDX-License-Identifier: MIT
set -u
cd "$(dirname "$0")/../.." || exit 1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
passed=0 failed=0

# check WHAT TEXT WANT: TEXT becomes WANT, behind the line that names the file.
check() {
    printf '%s\n' "$2" >"$folder/in.cu"
    awk -f gpu/emulator/translate.awk "$folder/in.cu" >"$folder/out" 2>"$folder/errors"
    { printf '#line 1 "%s"\n' "$folder/in.cu" && printf '%s\n' "$3"; } >"$folder/want"
    if cmp -s "$folder/out" "$folder/want"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "failed: $1"
        diff "$folder/want" "$folder/out"
        cat "$folder/errors"
    fi
}

# refuse WHAT TEXT PART: an error on stderr that holds PART.
refuse() {
    printf '%s\n' "$2" >"$folder/in.cu"
    if ! awk -f gpu/emulator/translate.awk "$folder/in.cu" >/dev/null 2>"$folder/errors" && grep -q "$3" "$folder/errors"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "failed: $1: $(cat "$folder/errors")"
    fi
}

check 'a launch' 'k<<<g, b>>>(x, 3);' \
    'emulator_launch("k", __FILE__, __LINE__, k, EmulatorShape(g, b), x, 3);'
check 'no arguments, shared bytes, a stream' 'if (a) k<<<g, b, 4 * n, s>>>( );' \
    'if (a) emulator_launch("k", __FILE__, __LINE__, k, EmulatorShape(g, b, 4 * n, s) );'
check 'a template' 'ns::k<16, f<T>(2)><<<dim3(a, b), 32>>>(x);' \
    'emulator_launch("ns::k<16, f<T>(2)>", __FILE__, __LINE__, ns::k<16, f<T>(2)>, EmulatorShape(dim3(a, b), 32), x);'
check 'templates and shifts between the brackets' 'k<<<f<g<int>>(1) >> 2, 1 << 5>>>(x);' \
    'emulator_launch("k", __FILE__, __LINE__, k, EmulatorShape(f<g<int>>(1) >> 2, 1 << 5), x);'
check 'two in a line' 'k<<<1, 2>>>(x); l<<<3, 4>>>(h(y), (z));' \
    'emulator_launch("k", __FILE__, __LINE__, k, EmulatorShape(1, 2), x); emulator_launch("l", __FILE__, __LINE__, l, EmulatorShape(3, 4), h(y), (z));'
check 'comments and strings' '/* k<<<1, 2>>>(x); __shared__ int a; */ s = "k<<<1, 2>>>(\"); // k<<<1>>>(";  // k<<<1, 1>>>(x);' \
    '/* k<<<1, 2>>>(x); __shared__ int a; */ s = "k<<<1, 2>>>(\"); // k<<<1>>>(";  // k<<<1, 1>>>(x);'
check 'characters and numbers' "c = '\"'; d = '\\\\''; n = 1'000'000; k<<<1, 1>>>('(');" \
    "c = '\"'; d = '\\\\''; n = 1'000'000; emulator_launch(\"k\", __FILE__, __LINE__, k, EmulatorShape(1, 1), '(');"
check 'a raw string' 'r = R"x(k<<<1, 1>>>("))x"; k<<<1, 1>>>();' \
    'r = R"x(k<<<1, 1>>>("))x"; emulator_launch("k", __FILE__, __LINE__, k, EmulatorShape(1, 1));'
check 'a shared array' '__shared__ float tile[16][16 + 1];' \
    'static const EmulatorSite emulator_site_tile = {__FILE__, __LINE__}; auto &tile = emulator_shared<float[16][16 + 1]>(&emulator_site_tile);'
check 'a shared scalar, static, aligned' 'static __shared__ __align__(16) Pair<int, 2> p;' \
    'static const EmulatorSite emulator_site_p = {__FILE__, __LINE__}; auto &p = emulator_shared<Pair<int, 2>>(&emulator_site_p);'
check 'two shared arrays' '__shared__ T a[N], b[f(1, 2)];' \
    'static const EmulatorSite emulator_site_a = {__FILE__, __LINE__}; auto &a = emulator_shared<T[N]>(&emulator_site_a); static const EmulatorSite emulator_site_b = {__FILE__, __LINE__}; auto &b = emulator_shared<T[f(1, 2)]>(&emulator_site_b);'
check 'dynamic shared memory' 'extern __shared__ float s[];' \
    'auto s = (float *)emulator_dynamic_shared();'
check 'names that only look like it' 'int my__shared__x; a <<= 2; b = c << d >> e;' \
    'int my__shared__x; a <<= 2; b = c << d >> e;'
refuse 'a launch without arguments' 'f();
k<<<1, 2>>>;' 'in.cu:2: this launch cannot be read'
refuse 'a declaration without an end' '__shared__ int a' 'no ; ends'

# Lines stay where they are, whatever moves within them.
printf '%s\n' 'k' '<16>' '<<<1,' ' 2>>>(x,' 'y);' 'A' '__shared__' 'int a[2],' ' b;' 'B' >"$folder/in.cu"
awk -f gpu/emulator/translate.awk "$folder/in.cu" >"$folder/out"
if [ "$(sed -n '7p;11p' "$folder/out" | tr '\n' ' ')" = "A B " ] && [ "$(wc -l <"$folder/out")" = 11 ]; then
    passed=$((passed + 1))
else
    failed=$((failed + 1))
    echo "failed: lines moved"
    cat -n "$folder/out"
fi

echo "translate: $passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
