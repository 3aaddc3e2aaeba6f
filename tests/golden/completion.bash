# bash completion of wavepass VERSION, made by 'wavepass help --completion'
_wavepass()
{
    local current=${COMP_WORDS[COMP_CWORD]}
    local previous=${COMP_WORDS[COMP_CWORD - 1]}
    local command= options= words= word
    for word in "${COMP_WORDS[@]:1:COMP_CWORD - 1}"; do
        [[ $word == -* ]] || { command=$word; break; }
    done
    case $command in
        ''|help) words='forward inverse edit denoise verify bench compare explain undersample reconstruct view info help';;
        forward|fwd)
            options=' -o --output --subbands --tile --compression --half --double --picture --no-labels --check --axes --gray --channel -w --wavelet --taps -s --scheme --no-optimize --reversible --adjoint -l --levels --border --norm --layout --bank --tree --levels-z --decomposition --gop --volume --raw --values --volume-index --memory -b --backend --variant -d --device --precision --suffix -f --force --cost'
            case $previous in
                --subbands) words='wavepass pywt';;
                --compression) words='none deflate';;
                --channel) words='rgb luma 0 1 2 3 red green blue';;
                -w|--wavelet) words='haar db1 bior1.1 rbio1.1 cdf53 5/3 bior2.2 legall cdf97 9/7 bior4.4 dd137 13/7 ak511 5/11 5/11-C cdf1711 cdf68 bior6.8 17/11 cdf173 cdf28 bior2.8 17/3 cdf62 cdf13 bior1.3 6/2 cdf75 cdf42 7/5 cdf93 cdf24 bior2.4 9/3 d4 daub4 d6 daub6 dd97 9/7-M db2 db3 db4 db5 db6 db7 db8 db9 db10 db11 db12 db13 db14 db15 db16 db17 db18 db19 db20 sym2 sym3 sym4 sym5 sym6 sym7 sym8 sym9 sym10 sym11 sym12 sym13 sym14 sym15 sym16 sym17 sym18 sym19 sym20 coif1 coif2 coif3 coif4 coif5 bior1.5 bior2.6 bior3.1 bior3.3 bior3.5 bior3.7 bior3.9 bior5.5 rbio1.3 rbio1.5 rbio2.2 rbio2.4 rbio2.6 rbio2.8 rbio3.1 rbio3.3 rbio3.5 rbio3.7 rbio3.9 rbio4.4 rbio5.5 rbio6.8';;
                -s|--scheme) words='sep-convolution sep-polyconvolution sep-lifting nonsep-convolution nonsep-polyconvolution nonsep-lifting planar-convolution planar-polyconvolution planar-lifting sep-conv sep-poly sep-lift ns-conv ns-poly ns-lift pl-conv pl-poly pl-lift';;
                -l|--levels) words='1 2 3 4 5 max';;
                --border) words='symmetric periodic pywt-zero pywt-constant pywt-symmetric pywt-reflect pywt-periodic pywt-smooth pywt-antisymmetric pywt-antireflect pywt-periodization';;
                --norm) words='jpeg2000 orthonormal none pywt';;
                --layout) words='mallat mixed';;
                --bank) words='decimated undecimated starlet packets';;
                --levels-z) words='1 2 3 4 5 max';;
                --decomposition) words='dyadic spatial-temporal';;
                --values) words='auto raw unit';;
                -b|--backend) words='auto fragment cuda compute cpu reference cuda-gl';;
                --variant) words='~';;
                --precision) words='f32 f16';;
            esac;;
        inverse|inv)
            options=' -o --output --depth --region --level --axes --ignore-changes -w --wavelet --taps -s --scheme --no-optimize --reversible --adjoint -l --levels --border --norm --layout --bank --tree --levels-z --decomposition --gop --volume --raw --values --volume-index --memory -b --backend --variant -d --device --precision --suffix -f --force'
            case $previous in
                --depth) words='8 16';;
                -w|--wavelet) words='haar db1 bior1.1 rbio1.1 cdf53 5/3 bior2.2 legall cdf97 9/7 bior4.4 dd137 13/7 ak511 5/11 5/11-C cdf1711 cdf68 bior6.8 17/11 cdf173 cdf28 bior2.8 17/3 cdf62 cdf13 bior1.3 6/2 cdf75 cdf42 7/5 cdf93 cdf24 bior2.4 9/3 d4 daub4 d6 daub6 dd97 9/7-M db2 db3 db4 db5 db6 db7 db8 db9 db10 db11 db12 db13 db14 db15 db16 db17 db18 db19 db20 sym2 sym3 sym4 sym5 sym6 sym7 sym8 sym9 sym10 sym11 sym12 sym13 sym14 sym15 sym16 sym17 sym18 sym19 sym20 coif1 coif2 coif3 coif4 coif5 bior1.5 bior2.6 bior3.1 bior3.3 bior3.5 bior3.7 bior3.9 bior5.5 rbio1.3 rbio1.5 rbio2.2 rbio2.4 rbio2.6 rbio2.8 rbio3.1 rbio3.3 rbio3.5 rbio3.7 rbio3.9 rbio4.4 rbio5.5 rbio6.8';;
                -s|--scheme) words='sep-convolution sep-polyconvolution sep-lifting nonsep-convolution nonsep-polyconvolution nonsep-lifting planar-convolution planar-polyconvolution planar-lifting sep-conv sep-poly sep-lift ns-conv ns-poly ns-lift pl-conv pl-poly pl-lift';;
                -l|--levels) words='1 2 3 4 5 max';;
                --border) words='symmetric periodic pywt-zero pywt-constant pywt-symmetric pywt-reflect pywt-periodic pywt-smooth pywt-antisymmetric pywt-antireflect pywt-periodization';;
                --norm) words='jpeg2000 orthonormal none pywt';;
                --layout) words='mallat mixed';;
                --bank) words='decimated undecimated starlet packets';;
                --levels-z) words='1 2 3 4 5 max';;
                --decomposition) words='dyadic spatial-temporal';;
                --values) words='auto raw unit';;
                -b|--backend) words='auto fragment cuda compute cpu reference cuda-gl';;
                --variant) words='~';;
                --precision) words='f32 f16';;
            esac;;
        edit)
            options=' -o --output --threshold --keep --zero --only --scale --impulse --sigma --reference --ignore-changes -w --wavelet --taps -s --scheme --no-optimize -l --levels --border --norm --layout --bank --levels-z --decomposition --gop --volume --raw --values --volume-index -b --backend --variant -d --device --suffix -f --force'
            case $previous in
                --threshold) words='hard:universal hard:sure hard:bayes soft:universal soft:sure soft:bayes garrote:universal garrote:sure garrote:bayes';;
                -w|--wavelet) words='haar db1 bior1.1 rbio1.1 cdf53 5/3 bior2.2 legall cdf97 9/7 bior4.4 dd137 13/7 ak511 5/11 5/11-C cdf1711 cdf68 bior6.8 17/11 cdf173 cdf28 bior2.8 17/3 cdf62 cdf13 bior1.3 6/2 cdf75 cdf42 7/5 cdf93 cdf24 bior2.4 9/3 d4 daub4 d6 daub6 dd97 9/7-M db2 db3 db4 db5 db6 db7 db8 db9 db10 db11 db12 db13 db14 db15 db16 db17 db18 db19 db20 sym2 sym3 sym4 sym5 sym6 sym7 sym8 sym9 sym10 sym11 sym12 sym13 sym14 sym15 sym16 sym17 sym18 sym19 sym20 coif1 coif2 coif3 coif4 coif5 bior1.5 bior2.6 bior3.1 bior3.3 bior3.5 bior3.7 bior3.9 bior5.5 rbio1.3 rbio1.5 rbio2.2 rbio2.4 rbio2.6 rbio2.8 rbio3.1 rbio3.3 rbio3.5 rbio3.7 rbio3.9 rbio4.4 rbio5.5 rbio6.8';;
                -s|--scheme) words='sep-convolution sep-polyconvolution sep-lifting nonsep-convolution nonsep-polyconvolution nonsep-lifting planar-convolution planar-polyconvolution planar-lifting sep-conv sep-poly sep-lift ns-conv ns-poly ns-lift pl-conv pl-poly pl-lift';;
                -l|--levels) words='1 2 3 4 5 max';;
                --border) words='symmetric periodic pywt-zero pywt-constant pywt-symmetric pywt-reflect pywt-periodic pywt-smooth pywt-antisymmetric pywt-antireflect pywt-periodization';;
                --norm) words='jpeg2000 orthonormal none pywt';;
                --layout) words='mallat mixed';;
                --bank) words='decimated undecimated starlet packets';;
                --levels-z) words='1 2 3 4 5 max';;
                --decomposition) words='dyadic spatial-temporal';;
                --values) words='auto raw unit';;
                -b|--backend) words='auto fragment cuda compute cpu reference cuda-gl';;
                --variant) words='~';;
            esac;;
        denoise)
            options=' -o --output --sigma --per-level --method --rule --shifts --color-space -w --wavelet -l --levels --border --bank --depth --truth --dry-run --memory --levels-z --decomposition --gop --volume --raw --values --volume-index -b --backend --variant -d --device --suffix -f --force'
            case $previous in
                --method) words='bayes sure visu';;
                --rule) words='hard soft garrote';;
                --shifts) words='1 2 3 4 5 max';;
                --color-space) words='planes ycbcr';;
                -w|--wavelet) words='haar db1 bior1.1 rbio1.1 cdf53 5/3 bior2.2 legall cdf97 9/7 bior4.4 dd137 13/7 ak511 5/11 5/11-C cdf1711 cdf68 bior6.8 17/11 cdf173 cdf28 bior2.8 17/3 cdf62 cdf13 bior1.3 6/2 cdf75 cdf42 7/5 cdf93 cdf24 bior2.4 9/3 d4 daub4 d6 daub6 dd97 9/7-M db2 db3 db4 db5 db6 db7 db8 db9 db10 db11 db12 db13 db14 db15 db16 db17 db18 db19 db20 sym2 sym3 sym4 sym5 sym6 sym7 sym8 sym9 sym10 sym11 sym12 sym13 sym14 sym15 sym16 sym17 sym18 sym19 sym20 coif1 coif2 coif3 coif4 coif5 bior1.5 bior2.6 bior3.1 bior3.3 bior3.5 bior3.7 bior3.9 bior5.5 rbio1.3 rbio1.5 rbio2.2 rbio2.4 rbio2.6 rbio2.8 rbio3.1 rbio3.3 rbio3.5 rbio3.7 rbio3.9 rbio4.4 rbio5.5 rbio6.8';;
                -l|--levels) words='1 2 3 4 5 max';;
                --border) words='symmetric periodic pywt-zero pywt-constant pywt-symmetric pywt-reflect pywt-periodic pywt-smooth pywt-antisymmetric pywt-antireflect pywt-periodization';;
                --bank) words='decimated undecimated starlet packets';;
                --depth) words='8 16';;
                --levels-z) words='1 2 3 4 5 max';;
                --decomposition) words='dyadic spatial-temporal';;
                --values) words='auto raw unit';;
                -b|--backend) words='auto fragment cuda compute cpu reference cuda-gl';;
                --variant) words='~';;
            esac;;
        verify)
            options=' -w --wavelet -s --scheme -b --backend --variant -d --device -l --levels --levels-z --decomposition --size --volume --raw --values --volume-index --border --adjoint --norm --bank --start-level --precision --reversible'
            case $previous in
                -l|--levels) words='1 2 3 4 5 max';;
                --levels-z) words='1 2 3 4 5 max';;
                --decomposition) words='dyadic spatial-temporal';;
                --values) words='auto raw unit';;
                --norm) words='jpeg2000 orthonormal none pywt';;
                --bank) words='decimated undecimated starlet packets';;
                --precision) words='f32 f16';;
            esac;;
        bench)
            options=' -w --wavelet -s --scheme --form --no-optimize -b --backend --variant -d --device --size -l --levels --levels-z --direction --border --norm --layout --bank --precision --planes --batch --reversible --adjoint --include --threads --reconstruct --rate --loops --image --paper --warmup --min-time --min-samples --max-noise --timeout --runs --order --seed --timer --json --csv --markdown --svg -f --force --context --no-host --no-samples --no-verify --no-ceilings --no-transfers --allow-software --baseline --min-difference --alpha --fail-if-slower --fail-if-missing --wide --dry-run --list --profile --tune'
            case $previous in
                --border) words='symmetric periodic pywt-zero pywt-constant pywt-symmetric pywt-reflect pywt-periodic pywt-smooth pywt-antisymmetric pywt-antireflect pywt-periodization';;
                --norm) words='jpeg2000 orthonormal none pywt';;
                --layout) words='mallat mixed';;
                --bank) words='decimated undecimated starlet packets';;
                --precision) words='f32 f16';;
                --order) words='random given';;
                --timer) words='auto gpu wall';;
            esac;;
        compare)
            options=' --metric --tol -o --output --slices --volume --raw --values --volume-index --memory -f --force --min-difference --alpha --fail-if-slower --fail-if-missing --wide'
            case $previous in
                --metric) words='max mae mse psnr ssim';;
                --values) words='auto raw unit';;
            esac;;
        explain)
            options=' --show --format --volume --input --raw --values --channel --pixel --vs --diff --numbers --labels --worksheet --seed --web-url --results -l --levels --levels-z --decomposition --border --inverse --norm --bank --tree -o --output -w --wavelet --taps -s --scheme --no-optimize --reversible -f --force'
            case $previous in
                --show) words='summary ops matrix glsl cuda diagram footprint filters factoring steps bands border shift tiles passes pixel report all';;
                --format) words='txt csv md svg tex json html';;
                --values) words='auto raw unit';;
                --channel) words='rgb luma 0 1 2 3 red green blue';;
                -l|--levels) words='1 2 3 4 5 max';;
                --levels-z) words='1 2 3 4 5 max';;
                --decomposition) words='dyadic spatial-temporal';;
                --border) words='symmetric periodic pywt-zero pywt-constant pywt-symmetric pywt-reflect pywt-periodic pywt-smooth pywt-antisymmetric pywt-antireflect pywt-periodization';;
                --norm) words='jpeg2000 orthonormal none pywt';;
                --bank) words='decimated undecimated starlet packets';;
                -w|--wavelet) words='haar db1 bior1.1 rbio1.1 cdf53 5/3 bior2.2 legall cdf97 9/7 bior4.4 dd137 13/7 ak511 5/11 5/11-C cdf1711 cdf68 bior6.8 17/11 cdf173 cdf28 bior2.8 17/3 cdf62 cdf13 bior1.3 6/2 cdf75 cdf42 7/5 cdf93 cdf24 bior2.4 9/3 d4 daub4 d6 daub6 dd97 9/7-M db2 db3 db4 db5 db6 db7 db8 db9 db10 db11 db12 db13 db14 db15 db16 db17 db18 db19 db20 sym2 sym3 sym4 sym5 sym6 sym7 sym8 sym9 sym10 sym11 sym12 sym13 sym14 sym15 sym16 sym17 sym18 sym19 sym20 coif1 coif2 coif3 coif4 coif5 bior1.5 bior2.6 bior3.1 bior3.3 bior3.5 bior3.7 bior3.9 bior5.5 rbio1.3 rbio1.5 rbio2.2 rbio2.4 rbio2.6 rbio2.8 rbio3.1 rbio3.3 rbio3.5 rbio3.7 rbio3.9 rbio4.4 rbio5.5 rbio6.8';;
                -s|--scheme) words='sep-convolution sep-polyconvolution sep-lifting nonsep-convolution nonsep-polyconvolution nonsep-lifting planar-convolution planar-polyconvolution planar-lifting sep-conv sep-poly sep-lift ns-conv ns-poly ns-lift pl-conv pl-poly pl-lift';;
            esac;;
        undersample|sample)
            options=' -o --output --mask-output --truth-output --picture --mask --rate --from-mask --seed --noise --slice --pad --crop-kspace --normalize --centred --coils --maps-output --volume --raw --values --volume-index -f --force'
            case $previous in
                --mask) words='density lines radial poisson';;
                --values) words='auto raw unit';;
            esac;;
        reconstruct)
            options=' -o --output -m --mask --truth --maps --centred --tv --wav --mu --lambda --gamma --peak --outer --inner --iterations --sigma --cycle-spinning --seed --exact --threads -w --wavelet -l --levels -b --backend --magnitude --slice --template --log --plot --resume -f --force'
            case $previous in
            esac;;
        view)
            options=' --screenshot --window --no-ui --ui-scale --state --events --frames --shaders --memory --reconstruct -m --mask --truth --maps --centred --tv --wav --mu --lambda --gamma --peak --outer --inner --iterations --sigma --cycle-spinning --seed --exact --threads --channel -w --wavelet --taps -s --scheme --no-optimize --reversible --adjoint -l --levels --border --norm --layout --bank --tree --cost --levels-z --decomposition --gop --volume --raw --values --volume-index -b --backend --variant -d --device --precision -f --force'
            case $previous in
                --channel) words='rgb luma 0 1 2 3 red green blue';;
                -w|--wavelet) words='haar db1 bior1.1 rbio1.1 cdf53 5/3 bior2.2 legall cdf97 9/7 bior4.4 dd137 13/7 ak511 5/11 5/11-C cdf1711 cdf68 bior6.8 17/11 cdf173 cdf28 bior2.8 17/3 cdf62 cdf13 bior1.3 6/2 cdf75 cdf42 7/5 cdf93 cdf24 bior2.4 9/3 d4 daub4 d6 daub6 dd97 9/7-M db2 db3 db4 db5 db6 db7 db8 db9 db10 db11 db12 db13 db14 db15 db16 db17 db18 db19 db20 sym2 sym3 sym4 sym5 sym6 sym7 sym8 sym9 sym10 sym11 sym12 sym13 sym14 sym15 sym16 sym17 sym18 sym19 sym20 coif1 coif2 coif3 coif4 coif5 bior1.5 bior2.6 bior3.1 bior3.3 bior3.5 bior3.7 bior3.9 bior5.5 rbio1.3 rbio1.5 rbio2.2 rbio2.4 rbio2.6 rbio2.8 rbio3.1 rbio3.3 rbio3.5 rbio3.7 rbio3.9 rbio4.4 rbio5.5 rbio6.8';;
                -s|--scheme) words='sep-convolution sep-polyconvolution sep-lifting nonsep-convolution nonsep-polyconvolution nonsep-lifting planar-convolution planar-polyconvolution planar-lifting sep-conv sep-poly sep-lift ns-conv ns-poly ns-lift pl-conv pl-poly pl-lift';;
                -l|--levels) words='1 2 3 4 5 max';;
                --border) words='symmetric periodic pywt-zero pywt-constant pywt-symmetric pywt-reflect pywt-periodic pywt-smooth pywt-antisymmetric pywt-antireflect pywt-periodization';;
                --norm) words='jpeg2000 orthonormal none pywt';;
                --layout) words='mallat mixed';;
                --bank) words='decimated undecimated starlet packets';;
                --levels-z) words='1 2 3 4 5 max';;
                --decomposition) words='dyadic spatial-temporal';;
                --values) words='auto raw unit';;
                -b|--backend) words='auto fragment cuda compute cpu reference cuda-gl';;
                --variant) words='~';;
                --precision) words='f32 f16';;
            esac;;
        info)
            options=' --volume --raw --values --volume-index --memory --plan --axes -w --wavelet --taps -s --scheme --no-optimize --reversible -l --levels --border --norm --layout --bank --levels-z --decomposition --gop -b --backend --variant -d --device --precision'
            case $previous in
                --values) words='auto raw unit';;
                -w|--wavelet) words='haar db1 bior1.1 rbio1.1 cdf53 5/3 bior2.2 legall cdf97 9/7 bior4.4 dd137 13/7 ak511 5/11 5/11-C cdf1711 cdf68 bior6.8 17/11 cdf173 cdf28 bior2.8 17/3 cdf62 cdf13 bior1.3 6/2 cdf75 cdf42 7/5 cdf93 cdf24 bior2.4 9/3 d4 daub4 d6 daub6 dd97 9/7-M db2 db3 db4 db5 db6 db7 db8 db9 db10 db11 db12 db13 db14 db15 db16 db17 db18 db19 db20 sym2 sym3 sym4 sym5 sym6 sym7 sym8 sym9 sym10 sym11 sym12 sym13 sym14 sym15 sym16 sym17 sym18 sym19 sym20 coif1 coif2 coif3 coif4 coif5 bior1.5 bior2.6 bior3.1 bior3.3 bior3.5 bior3.7 bior3.9 bior5.5 rbio1.3 rbio1.5 rbio2.2 rbio2.4 rbio2.6 rbio2.8 rbio3.1 rbio3.3 rbio3.5 rbio3.7 rbio3.9 rbio4.4 rbio5.5 rbio6.8';;
                -s|--scheme) words='sep-convolution sep-polyconvolution sep-lifting nonsep-convolution nonsep-polyconvolution nonsep-lifting planar-convolution planar-polyconvolution planar-lifting sep-conv sep-poly sep-lift ns-conv ns-poly ns-lift pl-conv pl-poly pl-lift';;
                -l|--levels) words='1 2 3 4 5 max';;
                --border) words='symmetric periodic pywt-zero pywt-constant pywt-symmetric pywt-reflect pywt-periodic pywt-smooth pywt-antisymmetric pywt-antireflect pywt-periodization';;
                --norm) words='jpeg2000 orthonormal none pywt';;
                --layout) words='mallat mixed';;
                --bank) words='decimated undecimated starlet packets';;
                --levels-z) words='1 2 3 4 5 max';;
                --decomposition) words='dyadic spatial-temporal';;
                -b|--backend) words='auto fragment cuda compute cpu reference cuda-gl';;
                --variant) words='~';;
                --precision) words='f32 f16';;
            esac;;
    esac
    case $previous in
                --color) words='auto always never';;
    esac
    [[ $current != -* ]] || words="$options --json -q --quiet -v --verbose --color --version -h --help"
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _wavepass wavepass
